import { readDecoded } from "./plain.ts";
import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { toHidden } from "../hidden.ts";
import { createAppearances, initialAppearance } from "./rtf-appearance.ts";
import type { RtfAppearance } from "./rtf-appearance.ts";
import type { ReadContext, ReadHiddenText, Reading, Source } from "../reading.ts";

/** Reads the text of an RTF document. Table cells are separated by tabs, and pages by page breaks. Never fails. */
export function readRtf(source: Source, context: ReadContext): Reading {
  // Enough for the budget to detect that there is more.
  const maxLength = 4 * context.budget.charactersLeft() + 1000;
  const { text, hidden } = separateRtf(new TextDecoder("latin1").decode(source.bytes), maxLength);
  return readDecoded(text, context, hidden);
}

/** The properties that a group of an RTF document inherits. */
interface Group {
  /** Whether its text belongs to the document. */
  readonly visible: boolean;
  /** Why people cannot see its text, if it is marked as hidden or deleted. */
  readonly reason?: HiddenReason;
  readonly appearance: RtfAppearance;
  /** The number of substitute characters after \u. */
  readonly substitutes: number;
}

/** Converts RTF source to the text that people can see, as `separateRtf` does. */
export function rtfToText(rtf: string, maxLength = Infinity): string {
  return separateRtf(rtf, maxLength).text;
}

/**
 * Converts RTF source to text, and to the text in it that is hidden, deleted, tiny or white, up to about `maxLength` characters, as
 * described in the specification (RTF 1.9.1, "Reader"). Damaged source gives its readable part.
 */
function separateRtf(rtf: string, maxLength: number): { text: string; hidden: ReadHiddenText[] } {
  // Outer groups with equal properties are one entry, so that millions of braces need no memory.
  const outer: { readonly group: Group; count: number }[] = [];
  let group: Group = { visible: true, substitutes: 1, appearance: initialAppearance };
  const appearances = createAppearances(rtf);
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
  for (const match of rtf.matchAll(
    /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi,
  )) {
    if (text.length > maxLength) break;
    const [, word, parameter, hex, symbol, brace, plain] = match;
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
    else if (word !== undefined) {
      if (hiddenDestinations.has(word)) group = { ...group, visible: false };
      const appearance = appearances.follow(group.appearance, word, parameter);
      if (appearance !== group.appearance) group = { ...group, appearance };
      const reason = reasons.get(word);
      if (word === "plain" || (reason !== undefined && parameter === "0")) group = withReason(group, undefined);
      else if (reason !== undefined) group = withReason(group, reason);
      const character = characterByName.get(word);
      if (character !== undefined) write(character);
    } else if (hex !== undefined) write(windows1252[Number.parseInt(hex, 16)] ?? "");
    else if (symbol === "*") group = { ...group, visible: false };
    else if (symbol !== undefined)
      write(symbol === "~" ? " " : symbol === "\r" || symbol === "\n" ? "\n" : "-_".includes(symbol) ? "-" : symbol);
    else if (plain !== undefined) {
      const kept = plain.slice(skipped);
      skipped = Math.max(0, skipped - plain.length);
      append(kept);
    }
  }
  return { text, hidden: hidden.flatMap((each) => toHidden(each.text, each.reason)) };
}

function withReason({ visible, substitutes, appearance }: Group, reason: HiddenReason | undefined): Group {
  return { visible, substitutes, appearance, ...(reason !== undefined && { reason }) };
}

/** The words that hide text, and why. */
const reasons: ReadonlyMap<string, HiddenReason> = new Map([
  ["v", HiddenReason.NOT_DISPLAYED],
  ["deleted", HiddenReason.DELETED],
]);
/** The maximum number of hidden texts, and of characters of one. */
const maxHidden = 10_000;

const windows1252 = [...new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, code) => code))];

const hiddenDestinations: ReadonlySet<string> = new Set(
  "fonttbl colortbl stylesheet info pict object objdata themedata datastore listtable listoverridetable generator fldinst xmlnstbl".split(
    " ",
  ),
);

const characterByName: ReadonlyMap<string, string> = new Map([
  ["par", "\n"],
  ["line", "\n"],
  ["sect", "\n"],
  ["row", "\n"],
  ["page", "\f"],
  ["tab", "\t"],
  ["cell", "\t"],
  ["emdash", "\u2014"],
  ["endash", "\u2013"],
  ["lquote", "\u2018"],
  ["rquote", "\u2019"],
  ["ldblquote", "\u201c"],
  ["rdblquote", "\u201d"],
  ["bullet", "\u2022"],
]);
