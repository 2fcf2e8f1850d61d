import { useSyncExternalStore } from "react";
import type { BaseLocationHook, BaseSearchHook } from "wouter";
import { navigate } from "wouter/use-browser-location";

/** The place in the console that is shown. It follows the address of the browser, unless a step in the history is refused. */
export interface Place {
  /** The hooks through which the router reads the place. */
  readonly usePathname: BaseLocationHook;
  readonly useSearch: BaseSearchHook;
  /** Whether the last change was a step in the history, after which the browser itself restores how far the page was scrolled. */
  readonly isTraversed: () => boolean;
}

/** The member of the state of an entry of the history that holds its position. */
const member = "switchyardPosition";

/**
 * Creates the place. The browser changes the address before anyone can be asked, so a step that `mayTraverse` refuses is taken back, and
 * nothing of it is shown meanwhile. For that, each entry of the history knows its position.
 */
export function createPlace(mayTraverse: (isSamePage: boolean) => boolean): Place {
  let shown = readAddress();
  let position = readPosition() ?? 0;
  let isTraversed = false;
  const listeners = new Set<() => void>();

  function show(): void {
    shown = readAddress();
    for (const listener of listeners) listener();
  }
  function mark(at: number): void {
    position = at;
    // This is heard as another replacement, which finds the position.
    if (readPosition() !== at) history.replaceState({ ...(history.state as object | null), [member]: at }, "");
  }
  const follow = {
    pushState() {
      isTraversed = false;
      mark(position + 1);
      show();
    },
    replaceState() {
      isTraversed = false;
      mark(position);
      show();
    },
    popstate() {
      const to = readPosition();
      const { pathname, search } = readAddress();
      const isSamePage = pathname === shown.pathname;
      // An entry without a position is a fragment that someone typed.
      if (to === undefined) mark(position + 1);
      else if (to === position || (isSamePage && search === shown.search) || mayTraverse(isSamePage)) position = to;
      else return history.go(position - to);
      isTraversed = true;
      return show();
    },
  };
  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    if (listeners.size === 1) {
      for (const [name, act] of Object.entries(follow)) addEventListener(name, act);
      mark(position);
      show();
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) for (const [name, act] of Object.entries(follow)) removeEventListener(name, act);
    };
  }
  return {
    usePathname: () => [useSyncExternalStore(subscribe, () => shown.pathname), navigate],
    useSearch: () => useSyncExternalStore(subscribe, () => shown.search),
    isTraversed: () => isTraversed,
  };
}

function readAddress(): { readonly pathname: string; readonly search: string } {
  return { pathname: location.pathname, search: location.search };
}

function readPosition(): number | undefined {
  return (history.state as { readonly [member]?: number } | null)?.[member];
}
