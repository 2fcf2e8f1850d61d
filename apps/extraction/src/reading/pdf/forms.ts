import type { Color } from "./hidden/state.ts";
import type { Run } from "./words.ts";

/** A form field with its value and the runs that display it. */
export interface FilledField {
  readonly name: string;
  readonly value: string;
  /** Its position, in points from the upper left corner of the page as it is displayed. */
  readonly rectangle: Rectangle;
  readonly runs: readonly Run[];
  /** The color of its text, and that of its own background; undefined without one. */
  readonly color: Color;
  readonly ground: Color | undefined;
}

/** A rectangle on a page, in points. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Converts an annotation of pdf.js to a filled field: text fields, choices (as they are displayed), ticked boxes and selected buttons.
 * Returns undefined for hidden fields, passwords, signatures, empty fields and other annotations. A note that was typed onto the page
 * (FreeText) is a field without a name.
 */
export function toField(
  annotation: Readonly<Record<string, unknown>>,
  toPage: (rectangle: readonly number[]) => Rectangle,
): FilledField | undefined {
  const rect = annotation["rect"];
  if (!Array.isArray(rect) || rect.length !== 4 || !rect.every(Number.isFinite)) return undefined;
  if (annotation["hidden"] === true || annotation["password"] === true) return undefined;
  const lines = getValueLines(annotation).map((line) => line.trimEnd());
  const value = lines.join("\n").trim();
  if (value === "") return undefined;
  const rectangle = toPage(rect as number[]);
  const name = [annotation["alternativeText"], annotation["fieldName"]].find(
    (text) => typeof text === "string" && text !== "",
  );
  const appearance = annotation["defaultAppearanceData"] as { fontColor?: unknown } | null | undefined;
  // The color of a note is its background.
  const ground = annotation["subtype"] === "FreeText" ? annotation["color"] : annotation["backgroundColor"];
  return {
    name: typeof name === "string" ? name : "",
    value,
    color: toColor(appearance?.fontColor) ?? [0, 0, 0],
    ground: toColor(ground),
    rectangle,
    runs: createRuns(lines, rectangle, getSize(annotation), annotation["multiLine"] === true || lines.length > 1),
  };
}

function getValueLines(annotation: Readonly<Record<string, unknown>>): readonly string[] {
  const value = annotation["fieldValue"];
  switch (annotation["fieldType"]) {
    case "Tx":
      return toText(value).split(/\r\n|\r|\n/);
    case "Ch":
      return [
        (Array.isArray(value) ? value : [value]).map((chosen) => displayed(annotation["options"], chosen)).join(", "),
      ];
    case "Btn":
      return isTicked(annotation) ? [tick] : [];
    default:
      return annotation["subtype"] === "FreeText" && Array.isArray(annotation["textContent"])
        ? annotation["textContent"].map(toText)
        : [];
  }
}

/** The text of a ticked box. */
const tick = "[x]";

function isTicked(annotation: Readonly<Record<string, unknown>>): boolean {
  if (annotation["pushButton"] === true) return false;
  const value = toText(annotation["fieldValue"]);
  const on = annotation["radioButton"] === true ? annotation["buttonValue"] : annotation["exportValue"];
  return value !== "" && value !== "Off" && value === toText(on);
}

function displayed(options: unknown, chosen: unknown): string {
  for (const option of Array.isArray(options) ? (options as Record<string, unknown>[]) : []) {
    if (option["exportValue"] === chosen) return toText(option["displayValue"]) || toText(chosen);
  }
  return toText(chosen);
}

function toColor(value: unknown): Color | undefined {
  if (!(value instanceof Uint8ClampedArray) || value.length < 3) return undefined;
  return [value[0]!, value[1]!, value[2]!];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the font size of the field in points; 0 if it depends on the field's height. */
function getSize(annotation: Readonly<Record<string, unknown>>): number {
  const appearance = annotation["defaultAppearanceData"] as { fontSize?: unknown } | null | undefined;
  return typeof appearance?.fontSize === "number" && appearance.fontSize > 0 ? appearance.fontSize : 0;
}

/** Creates the runs for the lines of a value: one line in the middle of its field, several from its top. */
function createRuns(
  lines: readonly string[],
  { x, y, width, height }: Rectangle,
  size: number,
  several: boolean,
): Run[] {
  const letters = size || Math.min(12, Math.max(4, several ? (height / lines.length) * 0.8 : height * 0.7));
  const first = several ? y + letters : y + height / 2 + letters * 0.35;
  return lines.map((text, index) => ({
    text,
    x: x + 2,
    y: first + index * letters * 1.2,
    width: Math.min(Math.max(1, width - 4), text.length * letters * 0.5),
    height: letters,
    angle: 0,
  }));
}
