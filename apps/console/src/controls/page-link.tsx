import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAhead } from "../api/prefetching.ts";
import type { Prefetch } from "../api/queries.ts";

/** What a link to a page needs. */
export interface PageLinkProps {
  /** The address, relative to the page that is open. */
  readonly href: string;
  /** What the page requests first. */
  readonly first: readonly Prefetch[];
  readonly children: ReactNode;
}

/** A link to a page. What the page requests first is requested as soon as someone points to the link. */
export function PageLink({ href, first, children }: PageLinkProps) {
  const ahead = useAhead();
  return (
    <Anchor component={Link} href={href} inherit {...ahead(href, first)}>
      {children}
    </Anchor>
  );
}
