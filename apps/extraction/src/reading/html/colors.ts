/** A color of a document: its channels from 0 to 255, and its opacity from 0 to 1. */
export interface CssColor {
  readonly channels: readonly [red: number, green: number, blue: number];
  readonly alpha: number;
}

/** White, the background of documents. */
export const white: CssColor = { channels: [255, 255, 255], alpha: 1 };
/** Black, the color of text. */
export const black: CssColor = { channels: [0, 0, 0], alpha: 1 };

/** Colors whose channels differ by no more than this count as equal. */
const sameColor = 16;

/** The names of light colors and of the most usual others; text in other colors counts as visible. */
const names: ReadonlyMap<string, string> = new Map([
  ["white", "ffffff"],
  ["black", "000000"],
  ["snow", "fffafa"],
  ["ivory", "fffff0"],
  ["azure", "f0ffff"],
  ["floralwhite", "fffaf0"],
  ["ghostwhite", "f8f8ff"],
  ["mintcream", "f5fffa"],
  ["whitesmoke", "f5f5f5"],
  ["seashell", "fff5ee"],
  ["honeydew", "f0fff0"],
  ["aliceblue", "f0f8ff"],
  ["gray", "808080"],
  ["grey", "808080"],
  ["silver", "c0c0c0"],
  ["lightgray", "d3d3d3"],
  ["lightgrey", "d3d3d3"],
  ["red", "ff0000"],
  ["green", "008000"],
  ["blue", "0000ff"],
  ["yellow", "ffff00"],
  ["navy", "000080"],
]);

/** Reads a color of CSS or HTML; undefined for others, such as variables. */
export function parseColor(source: string): CssColor | undefined {
  const text = source.trim().toLowerCase();
  if (text === "transparent") return { channels: [0, 0, 0], alpha: 0 };
  const hex = names.get(text) ?? /^#?([0-9a-f]{3,8})$/.exec(text)?.[1];
  if (hex !== undefined) return parseHex(hex);
  const parts = /^rgba?\(([^)]*)\)$/
    .exec(text)?.[1]
    ?.split(/[\s,/]+/)
    .filter((part) => part !== "");
  if (parts === undefined || parts.length < 3) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part.endsWith("%") ? parseFloat(part) * 2.55 : parseFloat(part),
  );
  const alpha = parts[3] === undefined ? 1 : parseFloat(parts[3]) / (parts[3].endsWith("%") ? 100 : 1);
  return [red, green, blue, alpha].every(Number.isFinite) ? { channels: [red, green, blue], alpha } : undefined;
}

function parseHex(hex: string): CssColor | undefined {
  const full = hex.length <= 4 ? [...hex].map((digit) => digit + digit).join("") : hex;
  if (full.length !== 6 && full.length !== 8) return undefined;
  const channel = (at: number): number => Number.parseInt(full.slice(at, at + 2), 16);
  return { channels: [channel(0), channel(2), channel(4)], alpha: full.length === 8 ? channel(6) / 255 : 1 };
}

/** Whether text of a color cannot be distinguished from its background. */
export function isSameColor(color: CssColor, ground: CssColor): boolean {
  const difference = Math.max(...color.channels.map((channel, at) => Math.abs(channel - ground.channels[at]!)));
  return difference * color.alpha <= sameColor;
}
