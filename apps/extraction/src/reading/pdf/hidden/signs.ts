import { constants, inflateSync } from "node:zlib";
import { mayHideText } from "./content.ts";
import { intersect } from "./geometry.ts";
import type { Bounds } from "./geometry.ts";
import type { Surroundings } from "./content.ts";

/** The maximum number of bytes that are unpacked from a stream, and from all streams. What is longer is not examined here. */
const most = { stream: 16 * 1024 * 1024, file: 64 * 1024 * 1024 };

/**
 * Whether a PDF shows signs of hidden text, so that it is worth looking at everything that its pages paint, which takes about as long as
 * reading their text. Text without a size is found in the text itself and does not matter here. What cannot be read here is a sign too:
 * encryption, filters of other kinds, names with escaped letters, text in forms, whose place and color depend on the page, and areas there.
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
    if (/\/(?:ObjStm|First\s+\d)/.test(dictionary.source)) {
      const source = data.toString("latin1");
      if (showsLayers(source)) return true;
      objects.push(source);
      continue;
    }
    // Of two objects with the same number, it is not known here which one counts.
    if (contents.has(dictionary.id)) return true;
    const content = toContent(data, dictionary.source);
    if (content.form && content.text) return true;
    contents.set(dictionary.id, content);
  }
  const page = findPage(objects);
  const joined = joinContents(contents, objects);
  if (joined === undefined) return true;
  const surroundings = findSurroundings(contents, objects);
  return joined.some(({ data, text }) => text && (page === undefined || mayHideText(data, surroundings, page)));
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
    text: /(?<![^\s\]>)}])BT(?![^\s/[(<%])/.test(source) && /T[jJ]|'|"/.test(source),
  };
}

function findSurroundings(contents: ReadonlyMap<string, Content>, objects: readonly string[]): Surroundings {
  const forms = [...contents.values()].filter(({ form }) => form);
  return {
    areas: forms.some(({ data }) => /[\s\])](f|F|f\*|B|B\*|b|b\*|Do|EI)(\s|$)/.test(data.toString("latin1"))),
    mixedColors: objects.some((source) => /\/(?:CalGray|CalRGB|DeviceN|Lab|Separation)\b/.test(source)),
  };
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
  return boxes
    .map(([, ...corners]): Bounds => {
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = corners.slice(0, 4).map(Number);
      return { left: Math.min(x0, x1), right: Math.max(x0, x1), top: Math.min(y0, y1), bottom: Math.max(y0, y1) };
    })
    .reduce(intersect);
}

/**
 * Joins the streams that are the content of a page together; undefined if one of them was not found, for example because it seems to be a picture, or
 * because it is a list of others.
 */
function joinContents(contents: ReadonlyMap<string, Content>, objects: readonly string[]): Content[] | undefined {
  const joined: Content[] = [];
  const others = new Map(contents);
  for (const source of objects) {
    for (const [, list, single = ""] of source.matchAll(/\/Contents(?:\s*\[([^\][]*)\]|\s+(\d+\s+\d+\s+R))/g)) {
      const ids = [...(list ?? single).matchAll(/(\d+)\s+\d+\s+R/g)].map(([, id = ""]) => id);
      const parts = ids.flatMap((id) => contents.get(id) ?? []);
      if (parts.length < ids.length) return undefined;
      ids.forEach((id) => others.delete(id));
      const data = parts.length === 1 ? parts[0]!.data : Buffer.concat(parts.flatMap((part) => [part.data, separator]));
      if (data.length > most.file) return undefined;
      // Readers show text without its usual beginning, too.
      joined.push({ data, form: false, text: true });
    }
  }
  return [...joined, ...others.values()];
}

const separator = Buffer.from("\n");

/** Returns where the data of a stream begins; undefined if the word is not the beginning of a stream. */
function findData(bytes: Buffer, at: number): number | undefined {
  if (bytes.toString("latin1", Math.max(0, at - 3), at) === "end") return undefined;
  const after = at + 6;
  if (bytes[after] === 0x0a) return after + 1;
  return bytes[after] === 0x0d ? after + (bytes[after + 1] === 0x0a ? 2 : 1) : undefined;
}

/** Returns the source of the dictionary before a stream, and its number; undefined if it is too long to be found, or has comments or names with escaped letters. */
function readDictionary(bytes: Buffer, end: number): { id: string; source: string } | undefined {
  const source = bytes.toString("latin1", Math.max(0, end - 4_000), end);
  const start = [...source.matchAll(/(?<!\d)(\d+)\s+\d+\s+obj\b/g)].at(-1);
  const rest = source.slice(start?.index);
  if (start?.[1] === undefined || !/>>\s*$/.test(rest) || /%|#(?:3\d|[46][1-9a-f]|[57][\da])/i.test(rest))
    return undefined;
  return { id: start[1], source: rest };
}

/** Unpacks a stream: null for pictures, and undefined if it cannot be unpacked here. */
function unpack(bytes: Buffer, start: number, dictionary: string): Buffer | null | undefined {
  const filters = [...dictionary.matchAll(/\/(?:Filter(?![A-Za-z])|F(?=\s*[/[]))\s*(\[[^\]]*\]|\/\w+)?/g)];
  const [filter] = filters.map(([, names]) => (names ?? "").replace(/[[\]\s]/g, ""));
  if (filters.length > 1) return undefined;
  if (filter === undefined) {
    const end = bytes.indexOf("endstream", start);
    return bytes.subarray(start, end < 0 ? undefined : end);
  }
  if (/^(\/FlateDecode)?\/(DCTDecode|JPXDecode|CCITTFaxDecode|JBIG2Decode)$/.test(filter)) return null;
  if (filter !== "/FlateDecode") return undefined;
  // Pictures and tables of references, whose bytes are stored as differences.
  if (/\/Predictor\s+(?!1\b)/.test(dictionary)) return /\/ObjStm\b/.test(dictionary) ? undefined : null;
  try {
    return inflateSync(bytes.subarray(start), { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: most.stream });
  } catch {
    return undefined;
  }
}

/** Whether objects contain layers, anything but opaque colors, or the names of what matters here with escaped letters. */
function showsLayers(objects: string): boolean {
  return (
    objects.includes("/OCProperties") ||
    /\/(?:ca|CA)(?![\w#.-])(?!\s*1(?:\.0*)?(?![\d.]))/.test(objects) ||
    [...objects.matchAll(/\/(\w{0,20}#[0-9A-Fa-f]{2}[\w#]{0,40})/g)].some(([, name = ""]) =>
      important.has(name.replace(/#([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))),
    )
  );
}

const important: ReadonlySet<string> = new Set([
  ...[
    "OCProperties",
    "ca",
    "CA",
    "Contents",
    "MediaBox",
    "CropBox",
    "CalGray",
    "CalRGB",
    "DeviceN",
    "Lab",
    "Separation",
  ],
]);
