import type { Attachment, Email } from "postal-mime";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { boundedHtml, createNestingReading } from "../html/bounds.ts";
import { decodeDataAddress } from "../html/data-address.ts";
import { separateHiddenHtml } from "../html/hidden.ts";
import { htmlToText } from "../html/html.ts";
import { fewCharacters, maxMessagesInside } from "../limits.ts";
import type { Budget } from "../limits.ts";
import { decodeText, isUtf16 } from "../decoding.ts";
import { hasLittleText, isLargePicture } from "../picture.ts";
import { parseMessage } from "./message.ts";
import type { ParsedMessage } from "./message.ts";
import { readDecoded } from "./plain.ts";
import { readTnef } from "./tnef.ts";
import { createProblemReading } from "../reading.ts";
import type { ReadContext, ReadFormValue, Reading, ReadPage, Source } from "../reading.ts";

/**
 * Reads a message (RFC 822): its From, To, Cc, Subject and Date as the first lines, then its text, then its attachments, whose pages have
 * their file names. An attachment that cannot be read is a warning.
 */
export async function readEmail(
  source: Source,
  context: ReadContext,
  readAttachment: (source: Source, context: ReadContext) => Promise<Reading>,
): Promise<Reading> {
  let parsed: ParsedMessage;
  try {
    parsed = await parseMessage(boundedMessage(convertMessage(source.bytes), context.budget));
  } catch (error) {
    // The parser has its own limits for headers and for nested parts.
    const limit = /^Maximum (.+) exceeded$/.exec(error instanceof Error ? error.message : "")?.[1];
    const message = limit === undefined ? "The message is damaged." : `The message exceeds the maximum ${limit}.`;
    return createProblemReading(ReadProblem.UNREADABLE_FILE, message);
  }
  const { email, getContentType } = parsed;
  const toSource = (attachment: Attachment): Source => describe(attachment, getContentType(attachment));
  const bounded = email.html === undefined ? undefined : boundedHtml(email.html, context.budget);
  if (bounded === null) return createNestingReading();
  const { html, hidden, pictures } = bounded === undefined ? withoutHtml : separateHiddenHtml(bounded);
  const body = getBody(email, html).replaceAll("\f", "\n");
  const text = [...fieldLines(email), body].join("\n");
  const message = readDecoded(text, context, hidden);
  const pages: ReadPage[] = [...message.pages];
  const formValues: ReadFormValue[] = [];
  const warnings: string[] = [...message.warnings];
  let facts: Reading["facts"];
  const bodyLength = body.replace(/\s/g, "").length;
  const attachedSources = email.attachments
    .filter((attachment) => !isDecoration(attachment))
    .flatMap((attachment) => unpack(toSource(attachment)));
  const shown = bodyLength < fewCharacters ? findShownPictures(email.attachments, pictures, toSource) : [];
  for (const [index, attached] of [...attachedSources, ...shown].entries()) {
    // The fields of the message do not count as text.
    const isEnough =
      index >= attachedSources.length && !hasLittleText(pages.slice(message.pages.length), context.budget);
    if (isEnough) break;
    if (context.depth >= context.budget.limits.maxDepth) {
      const maxDepth = context.budget.limits.maxDepth;
      context.budget.recordOmission(`Attachments of messages more than ${maxDepth} levels deep were not read.`);
      break;
    }
    if (!context.budget.hasRoom() || !context.budget.takeAttachment()) break;
    const reading = await readAttachment(attached, { ...context, depth: context.depth + 1 });
    const name = attached.filename === "" ? "picture" : `attachment "${attached.filename}"`;
    if (reading.problem) warnings.push(`${name} was not read: ${reading.problem.message}`);
    warnings.push(...reading.warnings.map((warning) => `${name}: ${warning}`));
    formValues.push(...reading.formValues.map((value) => ({ ...value, page: value.page + pages.length })));
    facts ??= reading.facts?.map((fact) => ({ ...fact, attachment: fact.attachment || attached.filename }));
    pages.push(...reading.pages.map((page) => ({ ...page, attachment: page.attachment || attached.filename })));
  }
  return { pages, formValues, warnings, ...(facts && { facts }) };
}

const withoutHtml = { html: undefined, hidden: [], pictures: [] };

/**
 * Converts a message that a program saved in UTF-16 to UTF-8, and removes a byte order mark. What the parts of a message in UTF-16 say about their
 * encoding is no longer true then, unless they are encoded in ASCII besides.
 */
function convertMessage(bytes: Uint8Array): Uint8Array {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  if (!isUtf16(bytes)) return marked ? bytes.subarray(3) : bytes;
  const message = decodeText(bytes);
  const encoded = /^content-transfer-encoding:\s*(base64|quoted-printable)/im.test(message);
  const untrue = encoded ? /(charset\s*=\s*)"?utf-16(le|be)?"?/gi : /(charset\s*=\s*)("[^"\r\n]*"|[\w.:-]+)/gi;
  return new TextEncoder().encode(message.replace(untrue, "$1utf-8"));
}

/** Truncates the source of a message to a part that can be read in bounded time, and records in the budget what was left out. */
function boundedMessage(bytes: Uint8Array, budget: Budget): Uint8Array {
  let end = 0;
  let lines = 0;
  let messages = 0;
  const maxLines = Math.min(budget.limits.maxMessageLines, budget.messageLinesLeft());
  while (lines < maxLines && end < bytes.length) {
    if (beginsMessage(bytes, end) && ++messages > maxMessagesInside) break;
    lines += 1;
    end = bytes.indexOf(0x0a, end) + 1 || bytes.length;
  }
  budget.takeMessageLines(lines);
  if (end < bytes.length) budget.recordOmission(`Only the first ${lines} lines of the source of a message were read.`);
  return bytes.subarray(0, end);
}

/** Whether a line is the header field of a nested message. */
function beginsMessage(bytes: Uint8Array, start: number): boolean {
  // Most lines begin with another letter than C.
  if ((bytes[start]! | 0x20) !== 0x63) return false;
  const line = String.fromCharCode(...bytes.subarray(start, start + 60));
  return /^content-type[ \t]*:\s*message\/rfc822/i.test(line);
}

function fieldLines(email: Email): string[] {
  return ["From", "To", "Cc", "Subject", "Date"].flatMap((name) => {
    const header = email.headers.find(({ key }) => key === name.toLowerCase());
    const value = header === undefined ? "" : shown(email, header).replace(/\s+/g, " ").trim();
    return value === "" ? [] : [`${name}: ${value}`];
  });
}

/** Formats a header field for people, with decoded addresses and subject. The addresses of fields with the same name are one list. */
function shown(email: Email, header: { key: string; value: string }): string {
  const addresses = { from: email.from ? [email.from] : [], to: email.to ?? [], cc: email.cc ?? [] }[header.key];
  if (addresses !== undefined)
    return addresses
      .flatMap((address) => address.group ?? [address])
      .map(mailbox)
      .join(", ");
  return header.key === "subject" ? (email.subject ?? header.value) : header.value;
}

function mailbox({ name, address }: { name: string; address?: string | undefined }): string {
  if (!address) return name;
  return name === "" || name === address ? address : `${name} <${address}>`;
}

/** Returns the text of a message, or that of its HTML if there is no plain text or only a stub of it. */
function getBody({ text = "" }: Email, source: string | undefined): string {
  if (source === undefined) return text;
  const html = htmlToText(source);
  const letters = (part: string): number => part.replace(/\s+/g, "").length;
  return letters(html) > 2 * letters(text) ? html : text;
}

/** Whether an attachment is a picture of the message's HTML or a signature, which contain nothing to read. */
function isDecoration(attachment: Attachment): boolean {
  return (
    (attachment.mimeType.startsWith("image/") &&
      (attachment.related === true || attachment.disposition === "inline")) ||
    /^application\/(x-)?(pkcs7-signature|pgp-signature)$/.test(attachment.mimeType)
  );
}

/**
 * Returns the pictures that a message shows in its text, in their order: those that its HTML shows, and then those to which it does not refer, which
 * programs show below. Small ones are left out.
 */
function findShownPictures(
  attachments: readonly Attachment[],
  addresses: readonly string[],
  toSource: (attachment: Attachment) => Source,
): Source[] {
  const pictures = attachments.filter(
    (attachment) => isDecoration(attachment) && attachment.mimeType.startsWith("image/"),
  );
  const getAddress = ({ contentId = "" }: Attachment): string => `cid:${contentId.replace(/^<|>$/g, "")}`;
  const attached = new Map(pictures.map((picture) => [getAddress(picture), picture]));
  const referred = new Set(addresses.map((address) => address.replace(/^cid:/i, "cid:")));
  const inHtml = [...referred].flatMap((address): Source[] => {
    const picture = attached.get(address);
    if (picture !== undefined) return [toSource(picture)];
    // A picture in the HTML itself has no name, because it is not an attachment.
    const bytes = decodeDataAddress(address);
    return bytes === undefined ? [] : [{ bytes, filename: "", contentType: "" }];
  });
  const below = pictures.filter((picture) => picture.related !== true && !referred.has(getAddress(picture)));
  return [...inHtml, ...below.map(toSource)].filter(({ bytes }) => isLargePicture(bytes));
}

/** Returns an attached document, or what is in it if Outlook has packed several into one. */
function unpack(source: Source): Source[] {
  const packed =
    /^application\/(vnd\.)?ms-tnef(?=;|$)/i.test(source.contentType) || /^winmail\.dat$/i.test(source.filename);
  const inside = packed ? readTnef(source.bytes) : [];
  return inside.length > 0 ? inside : [source];
}

function describe({ content, mimeType, filename: given }: Attachment, contentType: string): Source {
  const filename = given || (mimeType === "message/rfc822" ? "message.eml" : "attachment");
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  return { bytes, filename, contentType };
}
