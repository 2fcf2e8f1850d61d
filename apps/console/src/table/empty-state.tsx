import { Anchor, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";

/** What is shown in place of a list that is empty. */
export interface EmptyStateProps {
  /** That there is nothing. */
  readonly title: string;
  /** The next step. */
  readonly children: ReactNode;
  /** The page on which the next step is taken; absent if it is this one, or not offered to the caller. */
  readonly link?: { readonly href: string; readonly label: string } | false;
}

/** Says that a list is empty, what the next step is, and where it is taken. */
export function EmptyState({ title, children, link = false }: EmptyStateProps) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text fw={600}>{title}</Text>
      <Text>{children}</Text>
      {link !== false && (
        <Anchor component={Link} href={link.href}>
          {link.label}
        </Anchor>
      )}
    </Stack>
  );
}
