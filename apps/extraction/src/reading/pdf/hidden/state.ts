import { identity, toMatrix } from "./geometry.ts";
import type { Matrix, Shape } from "./geometry.ts";

/** The channels of a color, from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

/** The graphics state of a page while its operators are followed. */
export interface State {
  matrix: Matrix;
  /** The shapes outside of which everything is cut off. */
  clip: readonly Shape[];
  /** The colors of fills and strokes; undefined for a pattern or gradient. */
  fill: Color | undefined;
  stroke: Color | undefined;
  fillAlpha: number;
  strokeAlpha: number;
  /** Whether what is painted is mixed with what is below, or masked. */
  blended: boolean;
  masked: boolean;
  /** How opaque the group is that is being painted, from 0 to 1. */
  group: number;
  /** The rendering mode of text. */
  mode: number;
  font: string;
  size: number;
  characterSpacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
}

/** Returns the state in which a page begins. */
export function createState(matrix: Matrix): State {
  return {
    matrix,
    clip: [],
    fill: [0, 0, 0],
    stroke: [0, 0, 0],
    fillAlpha: 1,
    strokeAlpha: 1,
    blended: false,
    masked: false,
    group: 1,
    mode: 0,
    font: "",
    size: 0,
    characterSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    leading: 0,
    rise: 0,
  };
}

/** Applies the entries of a graphics state dictionary: opacity, blending, masks and fonts. */
export function applyGraphicsState(state: State, entries: unknown): void {
  for (const [key, value] of Array.isArray(entries) ? (entries as [string, unknown][]) : []) {
    if (key === "ca") state.fillAlpha = Number(value);
    else if (key === "CA") state.strokeAlpha = Number(value);
    else if (key === "BM") state.blended = value !== "source-over" && value !== "normal";
    else if (key === "SMask") state.masked = Boolean(value);
    else if (key === "Font" && Array.isArray(value)) setFont(state, value);
  }
}

/** Begins a group, which is painted separately before its opacity, blending and mask are applied. */
export function beginGroup(state: State): State {
  const group = state.group * state.fillAlpha * (state.blended || state.masked ? 0.5 : 1);
  return { ...state, group, fillAlpha: 1, strokeAlpha: 1, blended: false, masked: false };
}

/** Sets the font and its size. */
export function setFont(state: State, [font, size]: readonly unknown[]): void {
  state.font = String(font);
  state.size = Number(size) || 0;
}

/** Converts the argument of an operator to a color; undefined if it is not one. */
export function toColor([value]: readonly unknown[]): Color | undefined {
  const hex = typeof value === "string" ? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(value) : null;
  if (hex === null) return undefined;
  return [Number.parseInt(hex[1]!, 16), Number.parseInt(hex[2]!, 16), Number.parseInt(hex[3]!, 16)];
}

/** The position of the next text: its line's start, and its own, in the coordinates of the text matrix. */
export interface Cursor {
  matrix: Matrix;
  x: number;
  y: number;
  lineX: number;
  lineY: number;
}

/** Puts a cursor at the origin of a text matrix. */
export function place(cursor: Cursor, numbers: ArrayLike<number> = identity): void {
  cursor.matrix = toMatrix(numbers);
  cursor.x = cursor.y = cursor.lineX = cursor.lineY = 0;
}

/** Moves a cursor from the start of its line to that of another one. */
export function move(cursor: Cursor, x = 0, y = 0): void {
  cursor.x = cursor.lineX += x;
  cursor.y = cursor.lineY += y;
}
