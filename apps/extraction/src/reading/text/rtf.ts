import { readDecoded } from "./plain.ts";
import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { toHidden } from "../hidden.ts";
import { createAppearances, initialAppearance } from "./rtf-appearance.ts";
import { createRtfFonts } from "./rtf-fonts.ts";
import type { RtfAppearance } from "./rtf-appearance.ts";
import type { ReadContext, ReadHiddenText, Reading, Source } from "../reading.ts";

/** Reads the text of an RTF document. Table cells are separated by tabs, and pages by page breaks. Never fails. */
export function readRtf(source: Source, context: ReadContext): Reading {
  // Enough for the budget to detect that there is more.
  const maxLength = 4 * context.budget.charactersLeft() + 1000;
  const { buffer, byteOffset, byteLength } = source.bytes;
  const { text, hidden } = separateRtf(Buffer.from(buffer, byteOffset, byteLength).toString("latin1"), maxLength);
  return readDecoded(text, context, hidden);
}

/** The properties that a group of an RTF document inherits. */
interface Group {
  /** Whether its text belongs to the document. */
  readonly visible: boolean;
  /** The word of the groups within it whose text belongs to the document although its own does not. */
  readonly within: string | undefined;
  /** Whether the next word names a group that programs skip unless they know it (`\*`), in a place where it could be displayed. */
  readonly isMarked: boolean;
  /** Why people cannot see its text, if it is marked as hidden or deleted. */
  readonly reason?: HiddenReason;
  readonly appearance: RtfAppearance;
  /** The number of substitute characters after \u. */
  readonly substitutes: number;
  /** The number of the font; undefined for the usual one. */
  readonly font: number | undefined;
}

/**
 * Converts RTF source, of which each character is a byte, to the text that people can see, and to the text in it that is hidden, deleted, tiny
 * or white, up to about `maxLength` characters, as described in the specification (RTF 1.9.1, "Reader"). Damaged source gives its readable
 * part.
 */
export function separateRtf(rtf: string, maxLength: number): { text: string; hidden: ReadHiddenText[] } {
  // Outer groups with equal properties are one entry, so that millions of braces need no memory.
  const outer: { readonly group: Group; count: number }[] = [];
  let group: Group = {
    ...{ visible: true, within: undefined, isMarked: false },
    ...{ substitutes: 1, appearance: initialAppearance, font: undefined },
  };
  const appearances = createAppearances(rtf);
  const fonts = createRtfFonts();
  let usualFont: number | undefined;
  let skipped = 0;
  let text = "";
  const hidden: { text: string; reason: HiddenReason; at: number }[] = [];
  const append = (written: string): void => {
    const { visible, reason = appearances.getReason(group.appearance) } = group;
    if (!visible) return;
    const last = hidden.at(-1);
    if (reason === undefined) text += written;
    else if (last?.reason === reason && last.at === text.length) last.text = (last.text + written).slice(0, maxHidden);
    else if (hidden.length < maxHidden) hidden.push({ text: written, reason, at: text.length });
  };
  const write = (written: string): void => {
    if (skipped > 0) skipped--;
    else append(written);
  };
  const tokens = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;
  for (let match = tokens.exec(rtf); match !== null && text.length <= maxLength; match = tokens.exec(rtf)) {
    const [, word, parameter, hex, symbol, brace, plain] = match;
    if (word !== undefined || symbol !== undefined || brace !== undefined) fonts.end();
    // A group ends what substitutes a character.
    if (brace !== undefined) skipped = 0;
    if (brace === "{") {
      const last = outer.at(-1);
      if (last?.group === group) last.count += 1;
      else outer.push({ group, count: 1 });
    } else if (brace === "}") {
      const last = outer.at(-1);
      group = last?.group ?? group;
      if (last !== undefined && --last.count === 0) outer.pop();
    } else if (word === "u") {
      write(String.fromCharCode(Number(parameter ?? 0) & 0xffff));
      skipped = group.substitutes;
    } else if (word === "uc") group = { ...group, substitutes: Number(parameter ?? 1) };
    else if (word === "bin") tokens.lastIndex += Math.max(0, Number(parameter ?? 0));
    else if (word !== undefined) {
      fonts.follow(word, Number(parameter ?? 0), group.font);
      if (word === "deff") usualFont = Number(parameter ?? 0);
      const font = word === "f" ? Number(parameter ?? 0) : word === "deff" || word === "plain" ? usualFont : group.font;
      if (font !== group.font) group = { ...group, font };
      const within = group.visible || group.isMarked ? displayedWithin.get(word) : undefined;
      if (within !== undefined) group = { ...group, visible: false, within };
      else if (hiddenDestinations.has(word)) group = { ...group, visible: false, within: undefined };
      else if (word === group.within) group = { ...group, visible: true, within: undefined };
      if (group.isMarked) group = { ...group, isMarked: false };
      const appearance = appearances.follow(group.appearance, word, parameter);
      if (appearance !== group.appearance) group = { ...group, appearance };
      const reason = reasons.get(word);
      if (word === "plain" || (reason !== undefined && parameter === "0")) group = withReason(group, undefined);
      else if (reason !== undefined) group = withReason(group, reason);
      const character = characterByName.get(word);
      if (character !== undefined) write(character);
    } else if (hex !== undefined) {
      if (skipped > 0) skipped--;
      else if (group.visible) append(fonts.decode(String.fromCharCode(Number.parseInt(hex, 16)), group.font));
    } else if (symbol === "*") {
      const isMarked = group.visible || group.within !== undefined;
      group = { ...group, visible: false, within: undefined, isMarked };
    } else if (symbol !== undefined)
      write(symbol === "\r" || symbol === "\n" ? "\n" : (characterBySymbol.get(symbol) ?? symbol));
    else if (plain !== undefined) {
      const kept = plain.slice(skipped);
      skipped = Math.max(0, skipped - plain.length);
      // The last byte of a character may be a letter.
      const isEncoded = fonts.isIncomplete || /[\u0080-\u00ff]/.test(kept);
      append(isEncoded && group.visible ? fonts.decode(kept, group.font) : kept);
    }
  }
  return { text, hidden: hidden.flatMap((each) => toHidden(each.text, each.reason)) };
}

function withReason({ reason: _, ...group }: Group, reason: HiddenReason | undefined): Group {
  return { ...group, ...(reason !== undefined && { reason }) };
}

/** The words that hide text, and why. */
const reasons: ReadonlyMap<string, HiddenReason> = new Map([
  ["v", HiddenReason.NOT_DISPLAYED],
  ["deleted", HiddenReason.DELETED],
]);
/** The maximum number of hidden texts, and of characters of one. */
const maxHidden = 10_000;

/** Groups that programs skip, or whose data they do not display, with the groups within them that are displayed. */
const displayedWithin: ReadonlyMap<string, string> = new Map([
  ["shpinst", "shptxt"],
  ["object", "result"],
]);

const hiddenDestinations: ReadonlySet<string> = new Set(
  "fonttbl colortbl stylesheet info pict object objdata themedata datastore listtable listoverridetable generator fldinst xmlnstbl shprslt tc xe".split(
    " ",
  ),
);

/** An optional hyphen is only displayed at the end of a line. */
const characterBySymbol: ReadonlyMap<string, string> = new Map([
  ["~", " "],
  ["_", "-"],
  ["-", "\u00ad"],
]);

const characterByName: ReadonlyMap<string, string> = new Map([
  ["par", "\n"],
  ["line", "\n"],
  ["lbr", "\n"],
  ["softline", "\n"],
  ["sect", "\n"],
  ["row", "\n"],
  ["page", "\f"],
  ["tab", "\t"],
  ["cell", "\t"],
  ["nestcell", "\t"],
  ["column", "\n"],
  ["footnote", " "],
  ["emspace", " "],
  ["enspace", " "],
  ["qmspace", " "],
  ["emdash", "\u2014"],
  ["endash", "\u2013"],
  ["lquote", "\u2018"],
  ["rquote", "\u2019"],
  ["ldblquote", "\u201c"],
  ["rdblquote", "\u201d"],
  ["bullet", "\u2022"],
]);
