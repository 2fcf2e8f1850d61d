import { isUtf8 as isValidUtf8 } from "node:buffer";

/** A character encoding that can be detected from the bytes. */
type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/**
 * Decodes text: by its byte order mark; as UTF-16 without one if its bytes alternate as in UTF-16; as ISO-2022-JP, whose bytes are ASCII, if the
 * label (as in "charset=") names it; as UTF-8 if it is valid but for a few bytes; by the label if it is known; and otherwise as Windows-1252, as
 * browsers do for Latin-1. Two or more zero bytes in succession, with which programs fill up fields, become a tab. Never fails.
 */
export function decodeText(bytes: Uint8Array, label = ""): string {
  return decode(bytes, label).replace(/\0{2,}/g, "\t");
}

/** Whether text is encoded in UTF-16, with or without a byte order mark. */
export function isUtf16(bytes: Uint8Array): boolean {
  return detectEncoding(bytes)?.startsWith("utf-16") === true;
}

function decode(bytes: Uint8Array, label: string): string {
  const marked = detectEncoding(bytes);
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes);
  if (/^((cs)?iso-?2022-?jp(-\w+)?|cp5022[012])$/i.test(label) && bytes.includes(escape))
    return new TextDecoder("iso-2022-jp").decode(bytes);
  const text = new TextDecoder().decode(bytes);
  if (isValidUtf8(bytes)) return text;
  // A truncated or damaged file in UTF-8 has a few invalid bytes. In other encodings, almost all bytes beyond ASCII are invalid.
  const damaged = text.match(/\ufffd/g)?.length ?? 0;
  const intact = text.match(/[\u0080-\ufffc]/g)?.length ?? 0;
  return isUtf8(label) && damaged * 2 < intact ? text : decoderFor(label).decode(bytes);
}

/** Begins the sequences with which ISO-2022-JP changes its characters. */
const escape = 0x1b;

/** Returns the character encoding in a content type, or an empty string. */
export function getCharset(contentType: string): string {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? "";
}

/** Returns the encoding that a document names in its own text, which was read as ASCII; an empty string for UTF-16, which cannot be true then. */
export function getWrittenCharset(label: string): string {
  return /^(utf-16(le|be)?|(cs)?unicode|(iso-10646-)?ucs-2)$/i.test(label) ? "" : label;
}

/**
 * Whether bytes certainly are text: they are in UTF-16, or the first 64 KiB contain no zero byte and hardly any control characters.
 */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (isUtf16(bytes)) return true;
  const { zeros, controls, size } = countBytes(bytes);
  return zeros === 0 && controls * 200 <= size;
}

/**
 * Whether bytes may be text with zero bytes and control characters, if they are not in a known binary format. `declared` means that the sender
 * calls them text: then valid UTF-8 is text, whatever it contains.
 */
export function mayBeText(bytes: Uint8Array, declared: boolean): boolean {
  if (looksLikeText(bytes)) return true;
  const { zeros, controls, high, size } = countBytes(bytes);
  const kept = size - zeros;
  const sample = new TextDecoder().decode(bytes.subarray(0, sampleSize), { stream: true });
  if (!sample.includes("\ufffd")) return declared || (kept > 0 && controls * 4 <= kept);
  return kept > 0 && controls * 10 <= kept && high * 10 <= kept * 3;
}

const sampleSize = 65_536;

/** Counts the zero bytes, the other control characters and the bytes beyond ASCII at the beginning of a document. */
function countBytes(bytes: Uint8Array): { zeros: number; controls: number; high: number; size: number } {
  const sample = bytes.subarray(0, sampleSize);
  let [zeros, controls, high] = [0, 0, 0];
  for (const byte of sample) {
    if (byte === 0) zeros++;
    else if ((byte < 32 && !isLayout(byte)) || byte === 127) controls++;
    else if (byte > 127) high++;
  }
  return { zeros, controls, high, size: sample.length };
}

function detectEncoding(bytes: Uint8Array): Encoding | undefined {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  return unmarkedUtf16(bytes.subarray(0, 1024));
}

/**
 * Detects UTF-16 by its high bytes: every other byte is zero in Latin text, and less than 16 in text of most other alphabets, while the low
 * bytes between them are not.
 */
function unmarkedUtf16(sample: Uint8Array): Encoding | undefined {
  if (sample.length < 8) return undefined;
  const zeros = [0, 0];
  const small = [0, 0];
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1;
    if (byte < 16 && !isLayout(byte)) small[index % 2]! += 1;
  });
  const half = sample.length / 2;
  const isHigh = (high: number, low: number): boolean =>
    (zeros[high]! > half * 0.7 && zeros[low]! < half * 0.05) ||
    (sample.length >= 32 && small[high]! > half * 0.9 && small[low]! < half * 0.3 && zeros[low]! < half * 0.05);
  return isHigh(1, 0) ? "utf-16le" : isHigh(0, 1) ? "utf-16be" : undefined;
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  // A label of UTF-8 or plain ASCII is wrong here, because the bytes are not valid UTF-8.
  if (isUtf8(label)) return new TextDecoder("windows-1252");
  try {
    return new TextDecoder(label);
  } catch {
    const page = /^(?:x-)?(?:cp|ms|ibm|windows)[-_]?(\d{3,5})$/i.exec(label)?.[1];
    return new TextDecoder(encodingsOfPages.get(Number(page)) ?? "windows-1252");
  }
}

/** Encodings by the numbers of their code pages, as Microsoft counts them. */
export const encodingsOfPages: ReadonlyMap<number, string> = new Map([
  ...[874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => [page, `windows-${page}`] as const),
  [866, "ibm866"],
  [932, "shift_jis"],
  [936, "gb18030"],
  [949, "euc-kr"],
  [950, "big5"],
  [10_000, "macintosh"],
  [65_001, "utf-8"],
]);

/** Whether a label names UTF-8, ASCII, which is a part of it, or nothing. */
function isUtf8(label: string): boolean {
  return /^(utf-?8|us-ascii|ascii)?$/i.test(label);
}

/** Tab, line feed, vertical tab, form feed, carriage return, and escape, which some mail encodings use. */
function isLayout(byte: number): boolean {
  return (byte >= 9 && byte <= 13) || byte === 27;
}
