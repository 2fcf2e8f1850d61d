import { toHidden } from "../../hidden.ts";
import type { ReadHiddenText } from "../../reading.ts";
import type { FilledField } from "../forms.ts";
import { createRectangle, identity } from "./geometry.ts";
import type { PaintedArea, PaintedWord, Painting } from "./painting.ts";
import { findReasons } from "./visibility.ts";

/** The fields of a page that people can see, and the text of the others. */
export interface SeparatedFields {
  readonly fields: readonly FilledField[];
  readonly hidden: readonly ReadHiddenText[];
}

/**
 * Separates the form fields and notes of a page that people can see from those outside of the page, without a size, with tiny letters, and with
 * letters in the color of their background: their own, or what the page paints below them.
 */
export function separateFields(
  fields: readonly FilledField[],
  { areas }: Painting,
  page: { width: number; height: number },
): SeparatedFields {
  if (fields.length === 0) return { fields, hidden: [] };
  const last = areas.at(-1)?.order ?? 0;
  const grounds = fields.flatMap(({ ground, rectangle }, index): PaintedArea[] => {
    if (ground === undefined) return [];
    const { x, y, width, height } = rectangle;
    const shape = createRectangle(identity, [x, y, x + width, y + height]);
    return [{ order: last + 2 * index + 1, shape, clip: [], color: ground, opaque: true }];
  });
  const words = fields.flatMap(({ runs, color, rectangle }, index) =>
    runs.map((run): PaintedWord => {
      const order = last + 2 * index + 2;
      const isFlat = Math.min(rectangle.width, rectangle.height) < 1;
      const painted = { order, colors: [color], alpha: 1, clips: false, displayed: true, clip: [] };
      return { ...run, ...painted, ...(isFlat && { height: 0 }) };
    }),
  );
  // Fields are painted above everything, and cover each other only if somebody places them so.
  const reasons = findReasons({ words, areas: [...areas, ...grounds] }, { ...page, isOpaque: () => false });
  let next = 0;
  const shown: FilledField[] = [];
  const hidden: ReadHiddenText[] = [];
  for (const field of fields) {
    const own = reasons.slice(next, (next += field.runs.length));
    const reason = own.find((each) => each !== undefined && each !== "layer");
    if (reason !== undefined && !own.includes(undefined)) hidden.push(...toHidden(field.value, reason));
    else shown.push(field);
  }
  return { fields: shown, hidden };
}
