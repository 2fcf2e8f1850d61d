import { Button, Group } from "@mantine/core";
import { Link } from "wouter";

/** A section of a page, with its own address. */
export interface Section {
  /** The address relative to the page. */
  readonly href: string;
  readonly title: string;
  readonly isCurrent: boolean;
}

/** The links to the sections of a page. */
export function SectionLinks({ name, sections }: { name: string; sections: readonly Section[] }) {
  return (
    <Group component="nav" gap="xs" aria-label={name}>
      {sections.map(({ href, title, isCurrent }) => (
        <Button
          key={href}
          component={Link}
          href={href}
          size="compact-md"
          variant={isCurrent ? "filled" : "default"}
          aria-current={isCurrent ? "page" : undefined}
        >
          {title}
        </Button>
      ))}
    </Group>
  );
}
