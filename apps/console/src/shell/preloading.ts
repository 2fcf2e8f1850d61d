import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { isOffered, organizationPages, parts, projectPages } from "../pages/pages.ts";
import { usePermissions } from "../session/session.ts";

const everyPage = [...projectPages, ...organizationPages];

/**
 * Loads the code of the pages that are offered, one after the other, while there is nothing else to do, so that a click need not wait for it.
 * It is rendered beside the page, in the same boundary, so that it begins when the page has requested its data.
 */
export function Preloading(): null {
  const may = usePermissions();
  const queries = useQueryClient();
  useEffect(() => {
    let isOver = false;
    const pages = everyPage.filter((page) => isOffered(page, may));
    const load = async (): Promise<void> => {
      for (const each of [...pages.map(({ page }) => page), ...parts]) {
        do await waitUntilIdle();
        while (queries.isFetching() > 0);
        if (isOver) return;
        // Without a connection, the code is requested again when its page is opened.
        await each.load().catch(() => undefined);
      }
    };
    void load();
    return () => {
      isOver = true;
    };
    // Once for each session.
  }, []);
  return null;
}

/**
 * Loads the code of the page at a path of the address while the token is checked, so that the page is shown at once when the projects are
 * known. Otherwise React would show its fallback, and nothing else for 300 ms. If the code does not arrive, the page itself requests it again.
 */
export function loadPageAt(path: string): void {
  const [, slug] = /^\/console\/(?:projects\/[^/]+\/)?([^/]+)/.exec(path) ?? [];
  const shown = everyPage.find((page) => page.slug === slug) ?? everyPage[0];
  shown?.page.load().catch(() => undefined);
}

/** Waits until the browser has nothing else to do. Safari cannot tell, so there it is a pause. */
function waitUntilIdle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve());
    else setTimeout(resolve, 200);
  });
}
