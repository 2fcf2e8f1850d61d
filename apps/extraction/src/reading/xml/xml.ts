import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { decodeText, getCharset, getWrittenCharset } from "../decoding.ts";
import { maxInvoiceRows, maxNestedElements, maxXmlElements, type Budget } from "../limits.ts";
import {
  createProblemReading,
  type ReadContext,
  type ReadFact,
  type Reading,
  type ReadPage,
  type Source,
} from "../reading.ts";
import { readDecoded } from "../text/plain.ts";
import { findInvoice, looksLikeInvoice, readInvoice, type Invoice } from "./invoice.ts";
import { renderInvoice } from "./rendition.ts";
import { parseXml, type XmlFault } from "./tree.ts";

/**
 * Reads XML: an electronic invoice as what it states, with a page that shows it, and other XML as its source. XML with a document type
 * declaration and XML beyond the limits are not read, nor is a damaged invoice. Never fails.
 */
export function readXml(source: Source, context: ReadContext): Reading {
  const text = decodeXml(source);
  const parsed = parseXml(text);
  if ("fault" in parsed) {
    const unread = parsed.fault !== "DAMAGED" || looksLikeInvoice(text);
    return unread ? createProblemReading(ReadProblem.UNREADABLE_FILE, faults[parsed.fault]) : asXml(text, context);
  }
  const found = findInvoice(parsed.root);
  if (found === undefined) return asXml(text, context);
  const invoice = readInvoice(found);
  recordTruncation(invoice, context.budget);
  return { ...asXml(renderInvoice(invoice), context), facts: invoice.facts };
}

/** An electronic invoice that is attached to a document. */
export interface AttachedInvoice {
  readonly facts: readonly ReadFact[];
  /** Returns pages that show it, for a document without text. */
  render(): readonly ReadPage[];
}

/**
 * Returns what the electronic invoice in XML that is attached to a document states, or a sentence that says why it cannot be read; undefined if
 * the XML is not an invoice.
 */
export function readAttachedInvoice(
  source: Source,
  context: ReadContext,
): AttachedInvoice | { readonly warning: string } | undefined {
  const text = decodeXml(source);
  const parsed = parseXml(text);
  if ("fault" in parsed)
    return looksLikeInvoice(text)
      ? { warning: `"${source.filename}" was not read: ${faults[parsed.fault]}` }
      : undefined;
  const found = findInvoice(parsed.root);
  if (found === undefined) return undefined;
  const invoice = readInvoice(found);
  recordTruncation(invoice, context.budget);
  const attachment = source.filename;
  return {
    facts: invoice.facts.map((fact) => ({ ...fact, attachment })),
    render: () => asXml(renderInvoice(invoice), context).pages.map((page) => ({ ...page, attachment })),
  };
}

function recordTruncation({ truncated }: Invoice, budget: Budget): void {
  if (truncated) budget.recordTruncation(maxInvoiceRows, "line items of the invoice");
}

function asXml(text: string, context: ReadContext): Reading {
  const reading = readDecoded(text, context);
  return { ...reading, pages: reading.pages.map((page) => ({ ...page, source: TextSource.XML })) };
}

const faults: Readonly<Record<XmlFault, string>> = {
  DTD: "XML with a document type declaration is not read.",
  TOO_DEEP: `The document has more than ${maxNestedElements} nested elements.`,
  TOO_MANY: `The document has more than ${maxXmlElements} elements.`,
  DAMAGED: "The XML is damaged.",
};

/** Decodes XML by its byte order mark, as UTF-8, or as its declaration says. Some programs declare UTF-16 whatever they write. */
function decodeXml({ bytes, contentType }: Source): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  const declared = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(head)?.[1] ?? "";
  return decodeText(bytes, getWrittenCharset(declared) || getCharset(contentType)).replace(/^\ufeff/, "");
}
