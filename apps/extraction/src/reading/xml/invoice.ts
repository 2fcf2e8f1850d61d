import { FactGroup } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { maxInvoiceRows } from "../limits.ts";
import type { ReadFact } from "../reading.ts";
import { crossIndustry } from "./cii.ts";
import type { InvoiceElement, InvoiceFormat } from "./elements.ts";
import { findAll, findFirst } from "./paths.ts";
import { getNamespace, getPath, type XmlElement } from "./tree.ts";
import { universal } from "./ubl.ts";

/** An electronic invoice. */
export interface Invoice {
  /** What kind of document it is, in English. */
  readonly title: string;
  readonly facts: readonly ReadFact[];
  /** Whether it has more line items or tax rates than are read. */
  readonly truncated: boolean;
}

/** An element that is an electronic invoice, with its format. */
export interface FoundInvoice {
  readonly root: XmlElement;
  readonly format: InvoiceFormat;
}

/** Finds the electronic invoice in XML: the root, or what it is the envelope of. Returns undefined if there is none. */
export function findInvoice(root: XmlElement): FoundInvoice | undefined {
  const candidates = /Envelope$|^StandardBusinessDocument$/.test(root.name) ? [root, ...root.children] : [root];
  for (const each of candidates) {
    if (namesCrossIndustry.has(each.name)) return { root: each, format: crossIndustry };
    const universalName = /^urn:oasis:names:specification:ubl:schema:xsd:(Invoice|CreditNote|Order)-2$/;
    if (universalName.exec(getNamespace(each))?.[1] === each.name) return { root: each, format: universal };
  }
  return undefined;
}

const namesCrossIndustry: ReadonlySet<string> = new Set([
  "CrossIndustryInvoice",
  "CrossIndustryDocument",
  "SCRDMCCBDACIOMessageStructure",
]);

/** Whether source that is perhaps not well-formed is that of an electronic invoice. */
export function looksLikeInvoice(source: string): boolean {
  const root = /<(?:[\w.-]+:)?([A-Z][\w.-]*)\s[^<>]*>/.exec(source.slice(0, 65_536));
  return (
    root?.[1] !== undefined &&
    (namesCrossIndustry.has(root[1]) || root[0].includes("urn:oasis:names:specification:ubl:schema:xsd:"))
  );
}

/** Reads what an electronic invoice states. Values that do not have the form of their element are left out. Never fails. */
export function readInvoice({ root, format }: FoundInvoice): Invoice {
  const currency = findFirst(root, format.currency)?.text.trim() ?? "";
  const taxes = findAll(root, format.taxes.path);
  const lines = findAll(root, format.lines.path);
  const toFacts = (
    parent: XmlElement,
    elements: readonly InvoiceElement[],
    group: FactGroup,
    row: number,
  ): ReadFact[] => elements.flatMap((each) => toFact(parent, each, currency, { group, row }) ?? []);
  const document = toFacts(root, format.document, FactGroup.DOCUMENT, 0);
  const isOrder = root.name.startsWith("Order") || root.name.startsWith("SCRDM");
  return {
    title: getTitle(root.name, findFirst(root, format.type)?.text.trim() ?? ""),
    facts: [
      ...document,
      ...(isOrder ? completeOrder(document) : []),
      ...readRows(taxes, (tax, row) => toFacts(tax, format.taxes.elements, FactGroup.TAX, row)),
      ...readRows(lines, (line, row) => toFacts(line, format.lines.elements, FactGroup.LINE, row)),
    ],
    truncated: taxes.length > maxInvoiceRows || lines.length > maxInvoiceRows,
  };
}

/** Reads rows up to the limit. Lines that only have a number or a text are notes between line items, and are left out. */
function readRows(
  elements: readonly XmlElement[],
  toFacts: (element: XmlElement, row: number) => readonly ReadFact[],
): ReadFact[] {
  let row = 0;
  return elements.slice(0, maxInvoiceRows).flatMap((each) => {
    const facts = toFacts(each, row);
    if (!facts.some(({ concept }) => /quantity$|amount$|^tax/.test(concept))) return [];
    row += 1;
    return facts;
  });
}

/** The number and the date of an order are those of the document, and it may have a single sum. */
function completeOrder(facts: readonly ReadFact[]): ReadFact[] {
  const known = new Set(facts.map(({ concept }) => concept));
  const copies = { "order-number": "document-number", "order-date": "document-date", gross: "due" };
  return Object.entries(copies).flatMap(([concept, from]) => {
    const fact = known.has(concept) ? undefined : facts.find((each) => each.concept === from);
    return fact === undefined ? [] : [{ ...fact, concept }];
  });
}

function toFact(
  parent: XmlElement,
  { concept, form, paths }: InvoiceElement,
  currency: string,
  place: Pick<ReadFact, "group" | "row">,
): ReadFact | undefined {
  for (const path of paths) {
    const wanted = path.replace("CURRENCY", currency);
    const element = form === "address" ? findAll(parent, wanted)[0] : findFirst(parent, wanted);
    const value = element === undefined ? undefined : toValue(element, form);
    if (element === undefined || value === undefined || value === "") continue;
    return {
      concept,
      value,
      element: getPath(element) + (form === "unit" ? "/@unitCode" : ""),
      attachment: "",
      ...place,
    };
  }
  return undefined;
}

/** The maximum length of a value, for example of a note. */
const maxValue = 2_000;

function toValue(element: XmlElement, form: InvoiceElement["form"]): string | undefined {
  const text = element.text.replace(/\s+/g, " ").trim().slice(0, maxValue);
  switch (form) {
    case "number":
      return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text) ? text.replace(/^\+/, "") : undefined;
    case "date":
      return toDate(text);
    case "address":
      return toAddress(element);
    case "unit":
      return element.attributes["unitCode"]?.trim();
    default:
      return text;
  }
}

/** Converts a date in one of the formats 102 (20260331), 203 (with a time) and ISO 8601. */
function toDate(text: string): string | undefined {
  const [, year = "", month = "", day = ""] = /^(\d{4})-?(\d{2})-?(\d{2})(?!\d{1,3}$)/.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date ? undefined : date;
}

function toAddress(element: XmlElement): string {
  const at = (path: string): string => findFirst(element, path)?.text.replace(/\s+/g, " ").trim() ?? "";
  const town = [at("PostcodeCode|PostalZone"), at("CityName")].filter((part) => part !== "").join(" ");
  const street = ["LineOne|StreetName", "LineTwo|AdditionalStreetName", "LineThree|AddressLine", "AddressLine/Line"];
  const parts = [...street.map(at), town, at("CountryID"), at("Country/IdentificationCode")];
  return parts
    .filter((part) => part !== "")
    .join(", ")
    .slice(0, maxValue);
}

/** Names a document by the code of its type (UNTDID 1001), or else by its root. */
function getTitle(root: string, code: string): string {
  if (root.startsWith("Order") || root.startsWith("SCRDM")) return "Purchase order";
  const title = titles.get(code);
  return title ?? (root === "CreditNote" ? "Credit note" : "Invoice");
}

const titles: ReadonlyMap<string, string> = new Map([
  ["261", "Self-billed credit note"],
  ["326", "Partial invoice"],
  ["381", "Credit note"],
  ["384", "Corrected invoice"],
  ["386", "Prepayment invoice"],
  ["389", "Self-billed invoice"],
  ["875", "Partial construction invoice"],
  ["877", "Final construction invoice"],
]);
