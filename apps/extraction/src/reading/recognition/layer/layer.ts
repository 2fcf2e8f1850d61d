import type { ReadBox, ReadHiddenText, ReadLine, ReadWord } from "../../reading.ts";
import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { toLine } from "../../lines.ts";
import type { PlacedWord } from "../../lines.ts";
import { findDistance, fold } from "./distance.ts";
import type { PictureText } from "../reading-order.ts";

/** The text layer of a scan: its lines, with boxes in fractions of the page as it is displayed. */
export interface TextLayer {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly ReadLine[];
}

/** The result of a comparison: the lines of the layer, with single words as the picture shows them; or what of the layer is not in the picture. */
export type LayerComparison =
  | { readonly agrees: true; readonly lines: readonly ReadLine[] }
  | { readonly agrees: false; readonly hidden: readonly ReadHiddenText[] };

/** The part of the letters of a word that recognition may read wrongly. */
const tolerance = 0.34;
/** With at least this confidence, a number in the picture is another one than that of the layer if more than one digit differs. */
const certain = 0.9;
/** Consecutive words of the layer that the picture does not show are not recognition errors if they have at least this many letters together. */
const fewLetters = 14;
/** Neither are fewer words, because a layer may be garbled, too. */
const fewWords = 3;
/** The part of the layer that may differ from the picture. */
const mayDiffer = 0.1;
/** The part of the text of the picture that the layer may lack. */
const mayLack = 0.3;

/** A word of the layer, what the picture shows in its place, and how much that differs. */
interface JudgedWord {
  readonly word: ReadWord;
  /** `slightly`: by no more than an error of recognition; `much`: so that only several in succession count; `certainly`: another number. */
  readonly differs: "not" | "slightly" | "much" | "certainly";
  /** Empty if it shows nothing there. */
  readonly shown: string;
}

/**
 * Compares the text layer of a scan with what was recognized in its picture. Both may contain errors of recognition: single words that differ are
 * replaced by those of the picture, but the layer is not used if it has another number, several words in succession that the picture does
 * not show, many differences, or lacks much of the picture's text.
 */
export function compareLayer(layer: TextLayer, picture: PictureText): LayerComparison {
  const places = createPlaces(layer, picture);
  const judged = layer.lines.map((line) => line.words.map((word) => judge(word, places)));
  const whole = fold(picture.lines.map(({ text }) => text).join(" "));
  const hidden = judged.flatMap((words) => findHidden(words, whole));
  const letters = (words: readonly JudgedWord[]): number =>
    words.reduce((sum, { word }) => sum + fold(word.text).length, 0);
  const all = judged.flat();
  const garbled = letters(all.filter(({ differs }) => differs !== "not")) > mayDiffer * letters(all);
  if (hidden.length > 0 || garbled || places.unmatched() > mayLack) return { agrees: false, hidden };
  return { agrees: true, lines: layer.lines.flatMap((line, index) => correct(line, judged[index] ?? [])) };
}

/** Finds the words of a line that the picture shows neither in their place nor, because a layer may be shifted, anywhere in its `whole` text. */
function findHidden(words: readonly JudgedWord[], whole: string): ReadHiddenText[] {
  const hidden: ReadHiddenText[] = [];
  let run: JudgedWord[] = [];
  const end = (): void => {
    const differing = run.slice(0, run.findLastIndex(({ differs }) => differs !== "not") + 1);
    const counted = differing.filter(({ differs }) => differs !== "not");
    const letters = fold(differing.map(({ word }) => word.text).join(""));
    const isText = counted.length >= fewWords && letters.length >= fewLetters;
    const isNumber = differing.some(({ differs }) => differs === "certainly");
    if ((isText || isNumber) && findDistance(letters, whole) > tolerance * letters.length) {
      const { text, box } = toLine(differing.map(({ word }): PlacedWord => ({ ...word, before: " " })));
      hidden.push({ text, reason: HiddenReason.INVISIBLE, ...(box && { box }) });
    }
    run = [];
  };
  for (const judged of words) {
    const { differs, word } = judged;
    // Short words are found in others.
    const continues = run.length > 0 && differs === "not" && fold(word.text).length < 4;
    if (differs === "much" || differs === "certainly" || continues) run.push(judged);
    else end();
  }
  end();
  return hidden;
}

/** Replaces the words of a line that differ from the picture; without words, there is no line. */
function correct(line: ReadLine, words: readonly JudgedWord[]): ReadLine[] {
  if (words.every(({ differs }) => differs === "not")) return [line];
  const corrected = words.map(({ word, differs, shown }, index): PlacedWord => {
    const before = index === 0 ? "" : (line.text.charAt(word.offset - 1) as PlacedWord["before"]);
    return { text: differs === "not" ? word.text : shown, before, ...(word.box && { box: word.box }) };
  });
  const seen = corrected.filter(({ text }) => text !== "");
  return seen.length === 0 ? [] : [toLine(seen)];
}

/** Judges a word of the layer by the words that the picture shows in its place. */
function judge(word: ReadWord, { find }: Places): JudgedWord {
  const text = fold(word.text);
  if (text === "" || word.box === undefined) return { word, differs: "not", shown: word.text };
  const { near, within } = find(word.box);
  const seen = near.map((each) => fold(each.text)).join("");
  const shown = within.map((each) => each.text).join("");
  const [digits, seenDigits] = [getDigits(text), getDigits(seen)];
  const isSimilar = findDistance(text, seen) <= tolerance * text.length;
  if (digits.length < text.length / 2) {
    // Short words are easily joined to others, or missed.
    const isShort = text.length < 4 && shown === "";
    return { word, differs: isSimilar || isShort ? "not" : "much", shown };
  }
  if (seenDigits.includes(digits)) return { word, differs: "not", shown };
  const isCertain = seenDigits !== "" && near.every((each) => (each.confidence ?? 0) >= certain);
  if (isCertain && findDistance(digits, seenDigits) > 1) return { word, differs: "certainly", shown };
  // Of a number that is joined to its neighbors in the picture, not every digit can be compared.
  if (isSimilar && shown === "") return { word, differs: "not", shown };
  return { word, differs: isSimilar ? "slightly" : "much", shown };
}

function getDigits(text: string): string {
  return text.replace(/\D/g, "");
}

interface Places {
  /** Returns the words that the picture shows in a box of the page, from left to right, and those of them that are not in other boxes, too. */
  readonly find: (box: ReadBox) => { readonly near: readonly ReadWord[]; readonly within: readonly ReadWord[] };
  /** Returns the part of the letters of the picture that were not found so far. */
  readonly unmatched: () => number;
}

/** Finds words of a picture by places on its page, which was turned before it was read. */
function createPlaces({ width, height }: TextLayer, picture: PictureText): Places {
  const angle = (picture.rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  // The picture has another size than the page, and its sides change with quarter turns.
  const sideways = Math.round(picture.rotation / 90) % 2 === 1;
  const scale = (sideways ? picture.height : picture.width) / width;
  const words = picture.lines.flatMap((line) => line.words).filter((word) => word.box !== undefined);
  const found = new Set<ReadWord>();
  const turnPoint = (x: number, y: number): { x: number; y: number } => {
    const [dx, dy] = [(x - 0.5) * width * scale, (y - 0.5) * height * scale];
    return { x: (dx * cos - dy * sin) / picture.width + 0.5, y: (dx * sin + dy * cos) / picture.height + 0.5 };
  };
  return {
    find(box) {
      const one = turnPoint(box.x, box.y);
      const other = turnPoint(box.x + box.width, box.y + box.height);
      const [left, right] = [Math.min(one.x, other.x), Math.max(one.x, other.x)];
      const [top, bottom] = [Math.min(one.y, other.y), Math.max(one.y, other.y)];
      const near = words.filter((word) => {
        const { x, y, width: across, height: down } = word.box!;
        const middle = y + down / 2;
        const margin = Math.max(down, bottom - top) * 0.5;
        if (middle < top - margin || middle > bottom + margin) return false;
        return Math.min(right, x + across) - Math.max(left, x) > 0.2 * Math.min(across, right - left);
      });
      for (const word of near) found.add(word);
      near.sort((a, b) => a.box!.x - b.box!.x);
      const within = near.filter(({ box: own }) => {
        const middle = own!.x + own!.width / 2;
        return middle > left && middle < right && own!.width < 1.5 * (right - left);
      });
      return { near, within };
    },
    unmatched() {
      const count = (all: Iterable<ReadWord>): number => [...all].reduce((sum, { text }) => sum + text.length, 0);
      return words.length === 0 ? 0 : 1 - count(found) / count(words);
    },
  };
}
