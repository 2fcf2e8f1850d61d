import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "wouter";
import { useSession } from "../session/session.ts";
import type { Prefetch } from "./queries.ts";

/** What makes requests when someone points to a control, or reaches it by keyboard. */
export interface Pointing {
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
}

/** Returns a function that makes requests ahead for a page, whose address is relative to the page that is open. They count as calls of that page. */
export function useAhead(): (href: string, requests: readonly Prefetch[]) => Pointing {
  const { ahead } = useSession();
  const queries = useQueryClient();
  const { base } = useRouter();
  return (href, requests) =>
    point(() => {
      if (requests.length === 0) return;
      const client = ahead(`${base}${href}`.replace(/^\/console|\?.*$/g, ""));
      for (const request of requests) void request(client, queries);
    });
}

/** Returns a function that makes requests ahead for another part of the page that is open. */
export function usePartAhead(): (requests: readonly Prefetch[]) => Pointing {
  const { client } = useSession();
  const queries = useQueryClient();
  return (requests) =>
    point(() => {
      for (const request of requests) void request(client, queries);
    });
}

function point(request: () => void): Pointing {
  return { onPointerEnter: request, onFocus: request };
}
