import { isUtf8 } from "node:buffer";
import PostalMime from "postal-mime";
import type { Attachment, Email } from "postal-mime";
import { decodeText } from "../decoding.ts";
import { findMetaCharset } from "../html/charset.ts";
import { separateParts, type Separation } from "./separation.ts";

/** A message as it was parsed. */
export interface ParsedMessage {
  readonly email: Email;
  /** Returns the content type of one of its attachments, with the encoding if the message names one. */
  readonly getContentType: (attachment: Attachment) => string;
}

/** A part of a message that is not made of other parts, before it is sorted into texts and attachments. */
interface MimePart {
  content: ArrayBuffer | Uint8Array | null;
  readonly contentType: { readonly parsed: { readonly value: string; readonly params: Record<string, string> } };
}

/** What the types of the parser do not declare. It calls this once for each part, and then decodes the part if it is a text. */
interface PartSorting extends Separation {
  isInlineTextNode(part: MimePart): boolean;
}

/**
 * Parses a message, also if it does not say, or says wrongly, what separates its parts. Characters whose encoding is not named, or is named wrongly, are in UTF-8 if they are valid, and otherwise in Windows-1252.
 * Rejects if the message is damaged, or exceeds a limit of the parser.
 */
export async function parseMessage(bytes: Uint8Array): Promise<ParsedMessage> {
  const charsets = new Map<unknown, string>();
  const parser = new PostalMime({ forceRfc822Attachments: true, maxNestingDepth: 50 });
  const sorting = parser as unknown as PartSorting;
  separateParts(sorting);
  const isText = sorting.isInlineTextNode.bind(parser);
  sorting.isInlineTextNode = (part) => {
    const isShown = isText(part);
    if (isShown) convertText(part);
    else charsets.set(part.content, part.contentType.parsed.params["charset"] ?? "");
    return isShown;
  };
  const email = await parser.parse(convertHeaders(bytes));
  return {
    email,
    getContentType: ({ content, mimeType }) => {
      const charset = charsets.get(content) ?? "";
      return charset === "" ? mimeType : `${mimeType}; charset="${charset}"`;
    },
  };
}

/** Encodings that programs also name if they do not know the right one. */
const unreliable = /^(utf-?8|(us-)?ascii|iso-8859-1|latin1|windows-1252)?$/i;

/** Converts a text whose encoding is not certain to UTF-8. Others are left to the parser. */
function convertText(part: MimePart): void {
  if (part.content === null) return;
  const { value, params } = part.contentType.parsed;
  const bytes = new Uint8Array(part.content);
  const charset = params["charset"]?.trim() || (value === "text/html" ? findMetaCharset(bytes) : "");
  params["charset"] = unreliable.test(charset) ? "utf-8" : charset;
  if (unreliable.test(charset)) part.content = new TextEncoder().encode(decodeText(bytes, charset));
}

/**
 * Converts the header fields that contain unencoded characters to UTF-8. Old programs write them in the encoding of the text, which is the first one
 * that the message names.
 */
function convertHeaders(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes)) return bytes;
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(source.toString("latin1"))?.[1] ?? "";
  const pieces: Uint8Array[] = [];
  let copied = 0;
  let inHeader = true;
  for (let start = 0, end = 0; start < source.length; start = end) {
    end = source.indexOf(0x0a, start) + 1 || source.length;
    if (source[start] === 0x0a || source[start] === 0x0d) inHeader = false;
    // A line that may separate parts.
    else if (source[start] === 0x2d && source[start + 1] === 0x2d) {
      inHeader = /^content-/i.test(source.toString("latin1", end, end + 8));
    } else if (inHeader && !isUtf8(source.subarray(start, end))) {
      pieces.push(source.subarray(copied, start), Buffer.from(decodeText(source.subarray(start, end), charset)));
      copied = end;
    }
  }
  return Buffer.concat([...pieces, source.subarray(copied)]);
}
