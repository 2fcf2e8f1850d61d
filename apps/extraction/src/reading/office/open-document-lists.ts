import { formatNumber, toBullet, toCount, toSeparator, type ListMarker } from "../numerals.ts";
import type { XmlElement } from "../xml/tree.ts";
import { findBelow } from "./parts.ts";

/** Returns what precedes the text of a paragraph; undefined if it is in no list, or not the first of its item. */
export type GetMarker = (paragraph: XmlElement) => ListMarker | undefined;

/** A level of a list. */
interface Level {
  readonly bullet: string | undefined;
  readonly format: string;
  readonly prefix: string;
  readonly suffix: string;
  /** The number of levels, including this one, whose numbers are displayed. */
  readonly displayed: number;
  readonly start: number;
  /** Whether letters are repeated after z: aa, bb. */
  readonly repeats: boolean;
  readonly separator: string;
}

type Levels = ReadonlyMap<number, Level>;
type Counts = (number | undefined)[];

/** A list while it is read: the levels of its style, its counts by level, and the level of its items, from 1. */
interface List {
  readonly style: string;
  readonly counts: Counts;
  readonly level: number;
}

/** What is kept of what is around a number, so that many paragraphs take bounded memory. */
const maxAround = 50;
const maxLevels = 10;

/**
 * Counts the paragraphs of an Open Document with these parts, the first of which has its text. `isRead` tells which elements are read. Headings without
 * a list have the numbers of the outline, if it has any.
 */
export function countParagraphs(parts: readonly XmlElement[], isRead: (element: XmlElement) => boolean): GetMarker {
  const styles = new Map<string, Levels>();
  // The styles of the text itself are first.
  for (const style of parts.flatMap((part) => findBelow(part, "list-style"))) {
    const name = style.attributes["style:name"] ?? "";
    if (!styles.has(name)) styles.set(name, readLevels(style));
  }
  const [outline] = parts.flatMap((part) => findBelow(part, "outline-style"));
  if (outline !== undefined) styles.set(outlineStyle, readLevels(outline));
  const outlineCounts: Counts = [];
  const ofParagraphs = new Map(
    parts.flatMap((part) =>
      findBelow(part, "style").map(({ attributes }) => [
        attributes["style:name"] ?? "",
        attributes["style:list-style-name"],
      ]),
    ),
  );
  const markers = new Map<XmlElement, ListMarker>();
  /** The counts of the lists that were read, by their identifiers and by their styles. */
  const known = new Map<string, Counts>();

  function enterList(list: XmlElement, outer: List | undefined): List {
    const { attributes } = list;
    const level = (outer?.level ?? 0) + 1;
    const style = attributes["text:style-name"] ?? outer?.style ?? findStyleOf(list) ?? unstyled;
    const continued = attributes["text:continue-numbering"] === "true" ? known.get(`style ${style}`) : undefined;
    const followed = attributes["text:continue-list"];
    const counts =
      outer?.counts ?? (followed === undefined ? undefined : known.get(`list ${followed}`)) ?? continued ?? [];
    if (outer !== undefined && attributes["text:continue-numbering"] !== "true") counts[level] = undefined;
    known.set(`style ${style}`, counts);
    const id = attributes["xml:id"];
    if (id !== undefined) known.set(`list ${id}`, counts);
    return { style, counts, level };
  }

  /** Returns the style of lists that the first paragraph in a list names. */
  function findStyleOf(list: XmlElement): string | undefined {
    const [item] = list.children;
    const paragraph = item?.children.find(({ name }) => name === "p" || name === "h");
    return ofParagraphs.get(paragraph?.attributes["text:style-name"] ?? "") || undefined;
  }

  function number(paragraph: XmlElement, { style, counts, level }: List, given: string | undefined): void {
    const levels = styles.get(style);
    const found = levels?.get(level);
    if (levels === undefined || found === undefined) return;
    const before = counts[level];
    counts[level] = toCount(given) ?? (before === undefined ? found.start : before + 1);
    counts.fill(undefined, level + 1);
    const marker = toMarker(levels, level, counts);
    if (marker !== undefined) markers.set(paragraph, marker);
  }

  function visit(parent: XmlElement, list: List | undefined): void {
    for (const child of parent.children) {
      if (!isRead(child)) continue;
      if (child.name === "list") visitItems(child, enterList(child, list));
      else {
        if (child.name === "h" && list === undefined) numberHeading(child);
        // What is within a paragraph, such as a text box, is in no list.
        visit(child, undefined);
      }
    }
  }

  function visitItems(parent: XmlElement, list: List): void {
    for (const item of parent.children.filter(isRead)) {
      const first = item.children.find((child) => (child.name === "p" || child.name === "h") && isRead(child));
      // A header has no number, and neither has an item that only contains another list.
      if (first !== undefined && item.name === "list-item") number(first, list, item.attributes["text:start-value"]);
      visit(item, list);
    }
  }

  function numberHeading(heading: XmlElement): void {
    const { attributes } = heading;
    if (attributes["text:is-list-header"] === "true") return;
    const level = toCount(attributes["text:outline-level"]) ?? 1;
    number(heading, { style: outlineStyle, counts: outlineCounts, level }, attributes["text:start-value"]);
  }

  for (const part of parts) visit(part, undefined);
  return (paragraph) => markers.get(paragraph);
}

/** The name of a style that does not exist. */
const unstyled = " ";
/** The name of the style of the outline, which no style of lists has. */
const outlineStyle = "";

function readLevels(style: XmlElement): Levels {
  const levels = new Map<number, Level>();
  for (const { name, attributes, children } of style.children) {
    const at = toCount(attributes["text:level"]) ?? 0;
    if (at < 1 || at > maxLevels || !/^(list|outline)-level-style/.test(name)) continue;
    const label = children.flatMap((each) => findBelow(each, "list-level-label-alignment"))[0]?.attributes;
    const around = (end: string): string => (attributes[`style:num-${end}`] ?? "").slice(0, maxAround);
    levels.set(at, {
      bullet:
        name.endsWith("number") || name.startsWith("outline") ? undefined : (attributes["text:bullet-char"] ?? "•"),
      format: attributes["style:num-format"] ?? "",
      prefix: around("prefix"),
      suffix: around("suffix"),
      displayed: toCount(attributes["text:display-levels"]) ?? 1,
      start: toCount(attributes["text:start-value"]) ?? 1,
      repeats: attributes["style:num-letter-sync"] === "true",
      separator: toSeparator(label?.["text:label-followed-by"] ?? ""),
    });
  }
  return levels;
}

function toMarker(levels: Levels, at: number, counts: Counts): ListMarker | undefined {
  const level = levels.get(at);
  if (level === undefined) return undefined;
  const { bullet, format, prefix, suffix, separator } = level;
  if (bullet !== undefined) return bullet === "" ? undefined : { text: toBullet(bullet) + separator, isBullet: true };
  if (format === "") return undefined;
  const numbers: string[] = [];
  for (let each = Math.max(1, at - level.displayed + 1); each <= at; each += 1) {
    const styled = levels.get(each);
    if (styled !== undefined && styled.format !== "")
      numbers.push(formatNumber(counts[each] ?? styled.start, styled.format, styled.repeats));
  }
  return { text: prefix + numbers.join(".") + suffix + separator, isBullet: false };
}
