import { formatNumber, toBullet, toCount, toSeparator, type ListMarker } from "../../numerals.ts";
import type { XmlElement } from "../../xml/tree.ts";
import { defaultStyle, findChild, getValue, isOn, type FindStyles } from "./styles.ts";

/** The numbers and bullets of the lists of a text document. */
export interface Numbering {
  /** Counts the paragraphs of a part, in their order. `isShown` tells which of its elements are displayed. To be called before they are read. */
  count(part: XmlElement, isShown: (element: XmlElement) => boolean): void;
  /** Returns what precedes the text of a paragraph; undefined if it is in no list. */
  getMarker(paragraph: XmlElement): ListMarker | undefined;
}

/** A level of a list. */
interface Level {
  readonly start: number;
  readonly format: string;
  /** The text of the number, in which `%1` stands for the number of the first level. */
  readonly text: string;
  readonly separator: string;
  /** The level after which it begins again, from 1; 0 for none. */
  readonly restart: number;
  /** Whether the numbers of all levels are decimal. */
  readonly isLegal: boolean;
  /** The style whose paragraphs are on this level. */
  readonly style: string;
}

/** A list: its levels, its definition, with which others share its counts, and the numbers with which its levels begin again. */
interface List {
  readonly id: string;
  readonly levels: readonly (Level | undefined)[];
  readonly definition: XmlElement;
  readonly starts: ReadonlyMap<number, number>;
}

/** What is kept of the text of a number, so that many paragraphs take bounded memory. */
const maxText = 50;
/** The number of levels that lists have. */
const maxLevels = 9;

/** Creates the numbering of a document with these definitions of lists and these styles. */
export function createNumbering(root: XmlElement | undefined, findStyles: FindStyles): Numbering {
  const find = (name: string, id: string): Map<string, XmlElement> =>
    new Map(
      (root?.children ?? []).filter((each) => each.name === name).map((each) => [each.attributes[id] ?? "", each]),
    );
  const [numbers, definitions] = [find("num", "w:numId"), find("abstractNum", "w:abstractNumId")];
  const lists = new Map<string, List | undefined>();
  /** The levels of definitions, which many lists may share. */
  const defined = new Map<XmlElement, List["levels"]>();
  const markers = new Map<XmlElement, ListMarker>();

  function getList(id: string): List | undefined {
    if (!lists.has(id)) lists.set(id, readList(id));
    return lists.get(id);
  }

  function readList(id: string): List | undefined {
    const number = numbers.get(id);
    const definition = findDefinition(number);
    if (number === undefined || definition === undefined) return undefined;
    const shared = defined.get(definition) ?? readLevels(definition);
    defined.set(definition, shared);
    const levels = [...shared];
    const starts = new Map<number, number>();
    for (const override of number.children.filter(({ name }) => name === "lvlOverride")) {
      const at = Number(override.attributes["w:ilvl"]);
      const start = getValue(override, "startOverride");
      if (start !== "") starts.set(at, toCount(start) ?? 1);
      readLevels(override).forEach((level, index) => (levels[index] = level));
    }
    return { id, levels, definition, starts };
  }

  /** Returns the definition of a list, which may be that of a style of lists. */
  function findDefinition(number: XmlElement | undefined): XmlElement | undefined {
    const definition = definitions.get(getValue(number, "abstractNumId"));
    const link = getValue(definition, "numStyleLink");
    if (link === "") return definition;
    const linked = numbers.get(getValue(findProperties(findStyles(link)[0]), "numId"));
    return definitions.get(getValue(linked, "abstractNumId"));
  }

  /** Returns the list of a paragraph and its level; undefined if it is in none. */
  function findPlace(paragraph: XmlElement): { list: List; level: number } | undefined {
    const own = findProperties(paragraph);
    const styles = findStyles(getValue(findChild(paragraph, "pPr"), "pStyle") || defaultStyle);
    const all = [own, ...styles.map(findProperties)];
    const id = all.map((each) => getValue(each, "numId")).find((each) => each !== "") ?? "";
    const list = id === "" || id === "0" ? undefined : getList(id);
    if (list === undefined) return undefined;
    const stated = all.map((each) => getValue(each, "ilvl")).find((each) => each !== "");
    // The list may name the styles of its levels.
    const styled = stated === undefined ? list.levels.findIndex((each) => isStyleOf(each, styles)) : -1;
    return { list, level: stated === undefined ? Math.max(0, styled) : (toCount(stated) ?? 0) };
  }

  return {
    count(part, isShown) {
      const counts = new Map<XmlElement, (number | undefined)[]>();
      const begun = new Set<string>();
      const visit = (element: XmlElement): void => {
        const place = element.name === "p" && isCounted(element, isShown) ? findPlace(element) : undefined;
        const level = place?.list.levels[place.level];
        if (place !== undefined && level !== undefined) {
          const { definition } = place.list;
          const current = counts.get(definition) ?? [];
          counts.set(definition, current);
          advance(place.list, place.level, current, begun);
          const marker = toMarker(place.list, level, current);
          if (marker !== undefined) markers.set(element, marker);
        }
        for (const child of element.children) if (child.name !== "Fallback" && isShown(child)) visit(child);
      };
      visit(part);
    },
    getMarker: (paragraph) => markers.get(paragraph),
  };
}

/** Counts a paragraph of a list, in which the deeper levels begin again. `begun` contains the levels of lists that have begun with a number of their own. */
function advance(list: List, at: number, counts: (number | undefined)[], begun: Set<string>): void {
  const key = `${list.id} ${at}`;
  const own = begun.has(key) ? undefined : list.starts.get(at);
  if (own !== undefined) begun.add(key);
  const before = counts[at];
  counts[at] = own ?? (before === undefined ? (list.levels[at]?.start ?? 1) : before + 1);
  for (let deeper = at + 1; deeper < maxLevels; deeper += 1) {
    if (at < (list.levels[deeper]?.restart ?? deeper)) counts[deeper] = undefined;
  }
}

function toMarker({ levels }: List, level: Level, counts: readonly (number | undefined)[]): ListMarker | undefined {
  if (level.format === "bullet") {
    return level.text === "" ? undefined : { text: toBullet(level.text) + level.separator, isBullet: true };
  }
  const text = level.text.replace(/%([1-9])/g, (_, digit: string) => {
    const at = Number(digit) - 1;
    const number = counts[at] ?? levels[at]?.start ?? 1;
    return toText(number, level.isLegal ? "decimal" : (levels[at]?.format ?? "decimal"));
  });
  return text.trim() === "" ? undefined : { text: text + level.separator, isBullet: false };
}

/** The formats in letters and Roman numerals, by their names in Word. */
const formats: ReadonlyMap<string, string> = new Map([
  ["lowerLetter", "a"],
  ["upperLetter", "A"],
  ["lowerRoman", "i"],
  ["upperRoman", "I"],
]);

/** Formats the number of a paragraph. Formats in words and in other scripts become decimal. */
function toText(number: number, format: string): string {
  if (format === "none") return "";
  return format === "decimalZero"
    ? String(number).padStart(2, "0")
    : formatNumber(number, formats.get(format) ?? "", true);
}

function readLevels(parent: XmlElement): (Level | undefined)[] {
  const levels: (Level | undefined)[] = [];
  for (const level of parent.children.filter(({ name }) => name === "lvl")) {
    const at = toCount(level.attributes["w:ilvl"]) ?? -1;
    if (at < 0 || at >= maxLevels) continue;
    const isHidden = isOn(findChild(findChild(level, "rPr"), "vanish"));
    levels[at] = {
      start: toCount(getValue(level, "start")) ?? 0,
      format: getValue(level, "numFmt") || "decimal",
      text: isHidden ? "" : getValue(level, "lvlText").slice(0, maxText),
      separator: toSeparator(getValue(level, "suff")),
      restart: toCount(getValue(level, "lvlRestart")) ?? at,
      isLegal: isOn(findChild(level, "isLgl")),
      style: getValue(level, "pStyle"),
    };
  }
  return levels;
}

/** Returns the properties of a list that a paragraph or a style has. */
function findProperties(element: XmlElement | undefined): XmlElement | undefined {
  return findChild(findChild(element, "pPr"), "numPr");
}

function isStyleOf(level: Level | undefined, styles: readonly XmlElement[]): boolean {
  return level !== undefined && level.style !== "" && level.style === styles[0]?.attributes["w:styleId"];
}

/** Whether a paragraph has a number: not if it is hidden or deleted as a whole, including its end. */
function isCounted(paragraph: XmlElement, isShown: (element: XmlElement) => boolean): boolean {
  const end = findChild(findChild(paragraph, "pPr"), "rPr");
  const isGone =
    end?.children.some(({ name }) => name === "del" || name === "moveFrom") || isOn(findChild(end, "vanish"));
  return !isGone || hasShownText(paragraph, isShown);
}

function hasShownText({ children }: XmlElement, isShown: (element: XmlElement) => boolean): boolean {
  return children.some(
    (child) => isShown(child) && (child.name === "t" ? child.text !== "" : hasShownText(child, isShown)),
  );
}
