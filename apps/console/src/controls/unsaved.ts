import { createContext, useContext, useEffect } from "react";
import type { AroundNavHandler } from "wouter";
import { texts } from "../texts/index.ts";

/** What was entered on the open page and would be lost with it. */
export interface Unsaved {
  /** Asks before the page is left, until the returned function is called. */
  readonly hold: () => () => void;
  /** Asks nothing any more: what was entered has been saved, or what it belongs to was deleted. */
  readonly forget: () => void;
  /** Whether the page may be left. Asks if something would be lost. */
  readonly mayLeave: () => boolean;
  /** Leads to another page of the console if the open one may be left. Another address of the same page loses nothing. */
  readonly navigate: AroundNavHandler;
}

/** Creates the record of a session. While it holds something, the browser asks before it leaves the console. */
export function createUnsaved(): Unsaved {
  const held = new Set<object>();
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  const update = (): void =>
    held.size > 0 ? addEventListener("beforeunload", ask) : removeEventListener("beforeunload", ask);
  const mayLeave = (): boolean => held.size === 0 || confirm(texts.shell.unsaved);
  return {
    hold() {
      const entry = {};
      held.add(entry);
      update();
      return () => {
        held.delete(entry);
        update();
      };
    },
    forget() {
      held.clear();
      update();
    },
    mayLeave,
    navigate(navigate, to, options) {
      const isSamePage = new URL(to, location.href).pathname === location.pathname;
      if (isSamePage || mayLeave()) navigate(to, options);
    },
  };
}

/** What was entered on the pages inside. */
export const UnsavedContext = createContext<Unsaved | undefined>(undefined);

/** Returns what was entered on the page. */
export function useUnsaved(): Unsaved {
  const unsaved = useContext(UnsavedContext);
  if (unsaved === undefined) throw new Error("a page is shown outside of the shell");
  return unsaved;
}

/** Asks before the page is left while something that was entered is not saved. Returns a function that stops this at once. */
export function useQuestionBeforeLeaving(isUnsaved: boolean): () => void {
  const unsaved = useUnsaved();
  useEffect(() => (isUnsaved ? unsaved.hold() : undefined), [isUnsaved, unsaved]);
  return () => unsaved.forget();
}
