import type { JsonSchema } from "../engines.ts";

/** Creates a generator of numbers from 0 to 1, which are the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns random JSON that fits a schema. Its texts have up to three words of letters or digits, of which some have a single character. */
export function inventAnswer(schema: JsonSchema | undefined, random: () => number): unknown {
  const { type = "null", properties = {}, items, enum: values } = schema ?? {};
  const below = (bound: number): number => Math.floor(random() * bound);
  if (values !== undefined) return values[below(values.length)];
  const kinds = typeof type === "string" ? [type] : type;
  const given = kinds.filter((kind) => kind !== "null");
  switch (given[below(given.length)]) {
    case "object":
      return Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, inventAnswer(own, random)]));
    case "array":
      return Array.from({ length: 1 + below(4) }, () => inventAnswer(items, random));
    case "number":
      return below(1_000_000) / 100;
    case "integer":
      return 1 + below(50);
    case "boolean":
      return random() < 0.5;
    case "string":
      return Array.from({ length: 1 + below(3) }, () => inventWord(below)).join(" ");
    default:
      return null;
  }
}

function inventWord(below: (bound: number) => number): string {
  const characters = below(4) === 0 ? "0123456789" : "abcdefghijklmnopqrstuvwxyz";
  return Array.from({ length: 1 + below(10) }, () => characters[below(characters.length)]).join("");
}
