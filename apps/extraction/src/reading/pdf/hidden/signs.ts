import { constants, inflateSync } from "node:zlib";
import { mayHideText } from "./content.ts";
import type { Bounds } from "./geometry.ts";
import type { Forms } from "./content.ts";

/** The maximum number of bytes that are unpacked from a stream, and from all streams. What is longer is not examined here. */
const most = { stream: 16 * 1024 * 1024, file: 64 * 1024 * 1024 };

/**
 * Whether a PDF shows signs of hidden text, so that it is worth looking at everything that its pages paint, which takes about as long as
 * reading their text. Text without a size is found in the text itself and does not matter here. What cannot be read here is a sign too:
 * encryption, filters of other kinds, text and areas whose place on the page is not known.
 */
export function hasSigns(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const objects = [bytes.toString("latin1")];
  if (showsLayers(objects[0]!)) return true;
  const contents = new Map<string, Content>();
  let unpacked = 0;
  for (let at = bytes.indexOf("stream"); at >= 0; at = bytes.indexOf("stream", at + 6)) {
    const start = findData(bytes, at);
    if (start === undefined) continue;
    const dictionary = readDictionary(bytes, at);
    const data = dictionary === undefined ? undefined : unpack(bytes, start, dictionary.source);
    if (dictionary === undefined || data === undefined) return true;
    if (data === null) continue;
    unpacked += data.length;
    if (unpacked > most.file) return true;
    if (/\/Type\s*\/ObjStm/.test(dictionary.source)) {
      const source = data.toString("latin1");
      if (showsLayers(source)) return true;
      objects.push(source);
    } else contents.set(dictionary.id, toContent(data, dictionary.source));
  }
  const [forms, page] = [findForms(contents), findPage(objects)];
  return joinContents(contents, objects).some(
    ({ data, form, text }) => text && (page === undefined || mayHideText(data, forms, form ? undefined : page)),
  );
}

/** A stream that may be the content of a page or a form. */
interface Content {
  readonly data: Buffer;
  readonly form: boolean;
  readonly text: boolean;
}

function toContent(data: Buffer, dictionary: string): Content {
  const source = data.toString("latin1");
  return {
    data,
    form: /\/Subtype\s*\/Form\b/.test(dictionary),
    text: /(^|[\s\]>)])BT\s/.test(source) && /T[jJ]|'|"/.test(source),
  };
}

function findForms(contents: ReadonlyMap<string, Content>): Forms {
  const forms = [...contents.values()].filter(({ form }) => form);
  const areas = forms.some(({ data }) => /[\s\])](f|F|f\*|B|B\*|b|b\*|Do|EI)(\s|$)/.test(data.toString("latin1")));
  return { text: forms.some(({ text }) => text), areas };
}

/** Returns the part of the pages that is displayed of each of them; undefined if it is not known. */
function findPage(objects: readonly string[]): Bounds | undefined {
  const number = "(-?[\\d.]+)";
  const boxes = objects.flatMap((source) => [
    ...source.matchAll(
      new RegExp(
        `/(?:MediaBox|CropBox)\\s*(?:\\[\\s*${number}\\s+${number}\\s+${number}\\s+${number}\\s*\\]|(.))`,
        "g",
      ),
    ),
  ]);
  if (boxes.length === 0 || boxes.some(([, , , , , other]) => other !== undefined)) return undefined;
  const sides = boxes.map(([, ...corners]) => corners.slice(0, 4).map(Number));
  const of = (first: number, second: number, pick: (...values: number[]) => number): number[] =>
    sides.map((corners) => pick(corners[first] ?? 0, corners[second] ?? 0));
  return {
    left: Math.max(...of(0, 2, Math.min)),
    right: Math.min(...of(0, 2, Math.max)),
    top: Math.max(...of(1, 3, Math.min)),
    bottom: Math.min(...of(1, 3, Math.max)),
  };
}

/** Joins the streams that are the content of a page together. */
function joinContents(contents: ReadonlyMap<string, Content>, objects: readonly string[]): Content[] {
  const joined: Content[] = [];
  const others = new Map(contents);
  for (const source of objects) {
    for (const [, references = ""] of source.matchAll(/\/Contents\s*\[([\d\sR]*)\]/g)) {
      const ids = [...references.matchAll(/(\d+)\s+\d+\s+R/g)].map(([, id = ""]) => id);
      const parts = ids.flatMap((id) => contents.get(id) ?? []);
      ids.forEach((id) => others.delete(id));
      const data = Buffer.concat(parts.flatMap((part) => [part.data, separator]));
      joined.push({ data, form: false, text: parts.some(({ text }) => text) });
    }
  }
  return [...joined, ...others.values()];
}

const separator = Buffer.from("\n");

/** Returns where the data of a stream begins; undefined if the word is not the beginning of a stream. */
function findData(bytes: Buffer, at: number): number | undefined {
  let before = at - 1;
  while (before > 0 && bytes[before]! <= 0x20) before -= 1;
  if (bytes[before] !== 0x3e || bytes[before - 1] !== 0x3e) return undefined;
  const after = at + 6;
  if (bytes[after] === 0x0a) return after + 1;
  return bytes[after] === 0x0d ? after + (bytes[after + 1] === 0x0a ? 2 : 1) : undefined;
}

/** Returns the source of the dictionary before a stream, and its number; undefined if it is too long to be found. */
function readDictionary(bytes: Buffer, end: number): { id: string; source: string } | undefined {
  const source = bytes.toString("latin1", Math.max(0, end - 4_000), end);
  const start = source.lastIndexOf(" obj");
  const id = /(\d+)\s+\d+$/.exec(source.slice(Math.max(0, start - 20), Math.max(0, start)))?.[1];
  return id === undefined ? undefined : { id, source: source.slice(start) };
}

/** Unpacks a stream: null for pictures, and undefined if it cannot be unpacked here. */
function unpack(bytes: Buffer, start: number, dictionary: string): Buffer | null | undefined {
  const filter = /\/Filter\s*(\[[^\]]*\]|\/[\w#]+|\d)/.exec(dictionary)?.[1]?.replace(/[[\]\s]/g, "");
  if (filter === undefined) {
    const end = bytes.indexOf("endstream", start);
    return bytes.subarray(start, end < 0 ? undefined : end);
  }
  if (/^(\/FlateDecode)?\/(DCTDecode|JPXDecode|CCITTFaxDecode|JBIG2Decode)$/.test(filter)) return null;
  if (filter !== "/FlateDecode") return undefined;
  try {
    return inflateSync(bytes.subarray(start), { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: most.stream });
  } catch {
    return undefined;
  }
}

/** Whether objects contain layers, or colors that are almost transparent. */
function showsLayers(objects: string): boolean {
  return objects.includes("/OCProperties") || /\/(ca|CA)\s+(0?\.0\d*|0)(?![\d.])/.test(objects);
}
