import { createContext, useContext, useEffect } from "react";
import type { AroundNavHandler } from "wouter";
import { texts } from "../texts/index.ts";

/** Where something was entered: on a page, or in a dialog over it, which is also lost with the part of the page that opened it. */
export type EntryPlace = "page" | "dialog";

/** What was entered on the open page and would be lost with it. */
export interface Unsaved {
  /** Asks the question before the page is left, until the returned function is called. */
  readonly hold: (place: EntryPlace, question: string) => () => void;
  readonly isHolding: () => boolean;
  /** Asks nothing any more: what was entered has been saved, or what it belongs to was deleted. */
  readonly forget: () => void;
  /** Whether the page may be left by a control of the console. None is within reach under a dialog. Asks if something would be lost. */
  readonly mayLeave: () => boolean;
  /** Whether the browser may go to another entry of its history. Asks if something would be lost. */
  readonly mayTraverse: (isSamePage: boolean) => boolean;
  /** Leads to another page of the console if the open one may be left. Another address of the same page loses nothing. */
  readonly navigate: AroundNavHandler;
}

/** Creates the record of a session. While it holds something, the browser asks before it leaves the console. */
export function createUnsaved(): Unsaved {
  const held = new Set<{ readonly place: EntryPlace; readonly question: string }>();
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  const update = (): void =>
    held.size > 0 ? addEventListener("beforeunload", ask) : removeEventListener("beforeunload", ask);
  const mayLose = (isLost: (place: EntryPlace) => boolean): boolean => {
    const lost = [...held].find(({ place }) => isLost(place));
    return lost === undefined || confirm(lost.question);
  };
  const mayLeave = (): boolean => mayLose((place) => place === "page");
  return {
    hold(place, question) {
      const entry = { place, question };
      held.add(entry);
      update();
      return () => {
        held.delete(entry);
        update();
      };
    },
    isHolding: () => held.size > 0,
    forget() {
      held.clear();
      update();
    },
    mayLeave,
    mayTraverse: (isSamePage) => mayLose((place) => place === "dialog" || !isSamePage),
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
export function useQuestionBeforeLeaving(
  isUnsaved: boolean,
  place: EntryPlace = "page",
  question: string = texts.shell.unsaved,
): () => void {
  const unsaved = useUnsaved();
  useEffect(() => (isUnsaved ? unsaved.hold(place, question) : undefined), [isUnsaved, place, question, unsaved]);
  return () => unsaved.forget();
}
