import type { LabeledText } from "../domain/learning/labeled-text.ts";

const kinds = {
  weather: "wind gale swell warning sea visibility forecast metres gusts Dogger Fisher Tyne pressure falling".split(
    " ",
  ),
  baking: "flour butter sugar oven bake stir eggs dough yeast salt tin minutes crust cream".split(" "),
  chess: "knight bishop pawn castle check mate rook queen board opening endgame clock move draw".split(" "),
} as const;

/** A kind of text that no concept of the lexicon is about. */
export type Kind = keyof typeof kinds;

/** Creates a text of a kind. The same number always results in the same text. */
export function createKindText(kind: Kind, number: number, words = 40): string {
  let state = number * 977 + kind.length;
  const next = (limit: number): number => (state = (state * 48_271 + 11) % 2_147_483_647) % limit;
  return Array.from({ length: words }, () => kinds[kind][next(kinds[kind].length)]!).join(" ");
}

/** Creates texts that are labeled with the route of their kind. */
export function createLabeledTexts(routeByKind: Partial<Record<Kind, string | null>>, count: number): LabeledText[] {
  return Object.entries(routeByKind).flatMap(([kind, routeId]) =>
    Array.from({ length: count }, (_, number) => ({
      id: `cls_${kind}_${String(number).padStart(3, "0")}`,
      routeId,
      text: createKindText(kind as Kind, number),
    })),
  );
}
