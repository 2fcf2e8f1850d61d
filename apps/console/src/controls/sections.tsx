import { Button, Group } from "@mantine/core";
import { Link } from "wouter";
import { useAhead } from "../api/prefetching.ts";
import type { Prefetch } from "../api/queries.ts";

/** A section of a page, with its own address. */
export interface Section {
  /** The address relative to the page. */
  readonly href: string;
  readonly title: string;
  readonly isCurrent: boolean;
  /** What the section requests first, as soon as someone points to its link. */
  readonly first?: readonly Prefetch[];
}

/** The links to the sections of a page. */
export function SectionLinks({ name, sections }: { name: string; sections: readonly Section[] }) {
  const ahead = useAhead();
  return (
    <Group component="nav" gap="xs" aria-label={name}>
      {sections.map(({ href, title, isCurrent, first = [] }) => (
        <Button
          key={href}
          component={Link}
          href={href}
          size="compact-md"
          variant={isCurrent ? "filled" : "default"}
          aria-current={isCurrent ? "page" : undefined}
          {...ahead(href, isCurrent ? [] : first)}
        >
          {title}
        </Button>
      ))}
    </Group>
  );
}
