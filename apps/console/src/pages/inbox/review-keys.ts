import { useHotkeys, useLocalStorage } from "@mantine/hooks";

/** What each key does. */
export type ReviewKeys = readonly (readonly [key: string, act: () => void])[];

/**
 * Whether single keys act, and how to change it, for this browser. Speech input may type them, and so may a hand that rests on the keyboard
 * (WCAG 2.2, 2.1.4).
 */
export function useKeysSetting(): readonly [areOn: boolean, set: (areOn: boolean) => void] {
  const [areOn, set] = useLocalStorage({
    key: "switchyard.review-keys",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return [areOn, set];
}

/** Acts on keys wherever the keyboard is on the page, unless the control that has it takes the key, or they are turned off. */
export function useReviewKeys(keys: ReviewKeys): void {
  const [areOn] = useKeysSetting();
  useHotkeys(
    (areOn ? keys : []).map(([key, act]) => [
      key,
      unlessHeld((event) => (isTaken(event) ? undefined : act())),
      { preventDefault: false },
    ]),
    [],
  );
}

/** Acts when a key is pressed, and not again while it is held down: the next document would be decided before anyone has seen it. */
export function unlessHeld(act: (event: KeyboardEvent) => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (!event.repeat) act(event);
  };
}

/** Whether the control with the keyboard takes a key: a field takes all that is typed, and Enter belongs to links and buttons. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.matches("input:not([type=radio]), textarea, select")) return true;
  return key === "Enter" && target.closest("a, button") !== null;
}
