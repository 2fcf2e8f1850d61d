import { fileTypeFromBuffer } from "file-type";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { decodeText, isUtf16, looksLikeText, mayBeText } from "./decoding.ts";
import { detectPictureFormat } from "./recognition/picture/format.ts";
import { isTiff } from "./recognition/picture/tiff/directory.ts";
import { isPdf } from "./pdf/signature.ts";
import type { DetectedType } from "./detected-type.ts";
import type { Source } from "./reading.ts";

/** Detects the type of a document, from its bytes if possible. Never fails. */
export async function detectType(source: Source): Promise<DetectedType> {
  const { bytes } = source;
  if (isPdf(bytes)) return { format: "pdf", contentType: "application/pdf" };
  if (looksLikeText(bytes)) return sniffText(source);
  // Some senders put bytes before the header. Readers look for it in the first 1,024 bytes. An archive can contain a PDF as it is.
  if (!isArchive(bytes) && latin1(bytes.subarray(0, 1024)).includes("%PDF-"))
    return { format: "pdf", contentType: "application/pdf" };
  const office = await detectOfficeType(bytes);
  if (office !== undefined) return office;
  const type = await fileTypeFromBuffer(bytes).catch(() => undefined);
  // Raw pictures of cameras begin like a TIFF, too.
  if (isTiff(bytes) && (type === undefined || type.mime === tiff)) return { format: "picture", contentType: tiff };
  if (type === undefined && mayBeText(bytes, isDeclaredText(source))) return sniffText(source);
  const contentType = type?.mime ?? (toMediaType(source.contentType) || "application/octet-stream");
  if (type === undefined || detectPictureFormat(bytes) === undefined) return describeUnread(contentType);
  return { format: "picture", contentType };
}

const tiff = "image/tiff";

/** Describes a document of a type that is not read, with advice if there is another format for the same. */
function describeUnread(contentType: string): DetectedType {
  const advice = otherFormats.find(([types]) => types.test(contentType))?.[1];
  if (advice === undefined) return { format: undefined, contentType };
  const message = `Documents of type ${contentType} are not read. Save the picture as ${advice}, and upload it again.`;
  return { format: undefined, contentType, problem: { code: ReadProblem.UNSUPPORTED_FORMAT, message } };
}

const otherFormats: readonly (readonly [RegExp, string])[] = [
  // Phones can also take pictures as JPEG, and convert them when they send them.
  [/^image\/(hei[cf](-sequence)?|avif)$/, "JPEG or PNG"],
  [/^image\/svg\+xml$/, "PDF or PNG"],
  [/^image\/(bmp|jp2|jpx|jxl|jls|x-.+)$/, "PDF or PNG"],
];

/** Detects Office documents, and others in the same containers. The code for them is loaded with the first. */
async function detectOfficeType(bytes: Uint8Array): Promise<DetectedType | undefined> {
  const isZip = startsWith(bytes, zipSignature);
  const isCompound = startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  if (!isZip && !isCompound) return undefined;
  const { detectCompound, detectOffice } = await import("./office/detection.ts");
  return isZip ? detectOffice(bytes) : detectCompound(bytes);
}

/** The beginning of a ZIP archive with files, which Office documents are as well. */
const zipSignature = [0x50, 0x4b, 0x03, 0x04] as const;

/** Whether bytes begin like a ZIP archive, or like a tape archive (tar). */
function isArchive(bytes: Uint8Array): boolean {
  return startsWith(bytes, zipSignature) || latin1(bytes.subarray(257, 262)) === "ustar";
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

function sniffText(source: Source): DetectedType {
  const declared = getDeclaredType(source);
  const head = getHead(source.bytes);
  if (/^\s*\{\\rtf/.test(head)) return { format: "rtf", contentType: "application/rtf" };
  if (head.startsWith("%!PS")) return { format: undefined, contentType: "application/postscript" };
  if (isMail(head, declared === "message/rfc822")) return { format: "email", contentType: "message/rfc822" };
  if (isHtml(head, declared === "text/html")) return { format: "html", contentType: "text/html" };
  if (/^<(!doctype\s+)?svg[\s>]/i.test(withoutProlog(head))) return describeUnread("image/svg+xml");
  if (/^\s*<\?xml\s/.test(head) || isXml(head, declared)) {
    return {
      format: "xml",
      contentType: xmlType.test(declared) ? declared : "application/xml",
    };
  }
  if (tableTypes.has(declared)) return { format: "table", contentType: declared };
  return { format: "text", contentType: textTypes.has(declared) ? declared : "text/plain" };
}

/** Returns the beginning of a text, in which only the characters of ASCII are certain. */
function getHead(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, 65_536);
  const head = isUtf16(sample) ? decodeText(sample) : latin1(sample).replace(/^ï»¿/, "");
  return head.replaceAll("\0", "");
}

/** Whether the sender declared a document as text, by its content type or by the extension of its file name. */
function isDeclaredText(source: Source): boolean {
  const type = toMediaType(source.contentType);
  return (
    /^text\/|^message\/rfc822$|^application\/(.+\+)?(json|xml)$/.test(type) || getTypeByEnding(source) !== undefined
  );
}

const tableTypes: ReadonlySet<string> = new Set(["text/csv", "text/tab-separated-values"]);

/** Types of text that cannot be distinguished by their bytes. */
const textTypes: ReadonlySet<string> = new Set(["text/plain", "text/markdown", "application/json"]);

const typesByEnding: ReadonlyMap<string, string> = new Map([
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["csv", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["json", "application/json"],
  ["xml", "application/xml"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["eml", "message/rfc822"],
]);

/**
 * Returns the type that the sender declared, or that of the file extension if the sender declared nothing useful. Programs declare separated
 * values as spreadsheets, so that their extension counts in any case.
 */
function getDeclaredType(source: Source): string {
  const declared = toMediaType(source.contentType);
  const byEnding = getTypeByEnding(source);
  if (byEnding !== undefined && tableTypes.has(byEnding) && !declared.startsWith("text/h")) return byEnding;
  if (declared !== "" && declared !== "application/octet-stream" && declared !== "text/plain") return declared;
  return byEnding ?? declared;
}

function getTypeByEnding({ filename }: Source): string | undefined {
  return typesByEnding.get(/\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? "");
}

function toMediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/**
 * Whether a text is a mail: only header fields up to the first empty line, at least two of which people see and one that only mail programs
 * write, so that a memo with "From:" and "To:" is not a mail. One field is enough if the sender declared it as a mail, or the version of MIME.
 */
function isMail(head: string, declared: boolean): boolean {
  const block = head.replace(/^From .*\r?\n/, "").split(/\r?\n\r?\n/, 1)[0] ?? "";
  const names: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (/^[ \t]/.test(line) && names.length > 0) continue;
    const name = /^([!-9;-~]+):/.exec(line)?.[1];
    if (name === undefined) return declared && names.some((known) => seenFields.test(known));
    names.push(name);
  }
  const seen = names.filter((name) => seenFields.test(name)).length;
  if (declared && names.some((name) => /^mime-version$/i.test(name))) return true;
  return declared ? seen > 0 : seen > 1 && names.some((name) => hiddenFields.test(name));
}

const seenFields = /^(from|to|cc|subject|date|reply-to|sender)$/i;
const hiddenFields =
  /^(received|return-path|delivered-to|message-id|mime-version|content-type|content-transfer-encoding|dkim-signature|x-[\w-]+)$/i;

function isHtml(head: string, declared: boolean): boolean {
  if (/^<(!doctype\s+html|html|head|body)[\s>]/i.test(withoutProlog(head))) return true;
  return declared && /<[a-z!/][^<>]*>/i.test(head);
}

/** Whether a text without an XML declaration is XML: it has the root of an electronic invoice or a document type, or it was declared. */
function isXml(head: string, declared: string): boolean {
  const markup = withoutProlog(head);
  if (/^<!doctype\s+[\w:.-]+\s*(system|public|\[)/i.test(markup)) return true;
  if (!/^<[\w.-]+(:[\w.-]+)?(\s[^<>]*)?\/?>/.test(markup)) return false;
  return xmlType.test(declared) || /^<[^<>]*\sxmlns(:[\w.-]+)?\s*=/.test(markup);
}

const xmlType = /^(text|application)\/(.+\+)?xml$/;

/** Returns markup from its first element, or from its document type declaration. */
function withoutProlog(head: string): string {
  return head.replace(/^(\s|<\?[^>]*>|<!--[^]*?-->)*/, "");
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
