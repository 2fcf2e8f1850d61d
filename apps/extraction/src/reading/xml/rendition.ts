import { FactGroup } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ReadFact } from "../reading.ts";
import type { Invoice } from "./invoice.ts";

/** Writes an electronic invoice as text, as it could be printed: its title, labeled values, and tables of its line items and taxes. */
export function renderInvoice({ title, facts }: Invoice): string {
  const labels = new Map(documentLabels);
  labels.set("document-number", `${title} number`);
  labels.set("document-date", `${title} date`);
  const document = facts.filter(({ group }) => group === FactGroup.DOCUMENT);
  const isSum = ({ concept }: ReadFact): boolean => sums.has(concept);
  const labeled = (fact: ReadFact): string => `${labels.get(fact.concept) ?? fact.concept}:\t${fact.value}`;
  return [
    title,
    ...document.filter((fact) => !isSum(fact)).map(labeled),
    ...renderTable(facts, FactGroup.LINE, lineLabels),
    ...renderTable(facts, FactGroup.TAX, taxLabels),
    ...document.filter(isSum).map(labeled),
  ].join("\n");
}

/** Writes the rows of a group as lines with tabs, below the labels of the columns that have values. */
function renderTable(
  facts: readonly ReadFact[],
  group: FactGroup,
  labels: readonly (readonly [concept: string, label: string])[],
): string[] {
  const rows: Map<string, string>[] = [];
  for (const fact of facts) if (fact.group === group) (rows[fact.row] ??= new Map()).set(fact.concept, fact.value);
  const columns = labels.filter(([concept]) => rows.some((row) => row.has(concept)));
  if (columns.length === 0) return [];
  return [
    columns.map(([, label]) => label).join("\t"),
    ...rows.map((row) => columns.map(([concept]) => row.get(concept) ?? "-").join("\t")),
  ];
}

const sums: ReadonlySet<string> = new Set([
  "lines",
  "charges",
  "discount",
  "net",
  "tax",
  "gross",
  "prepaid",
  "rounding",
  "due",
]);

const documentLabels: readonly (readonly [concept: string, label: string])[] = [
  ["due-date", "Due date"],
  ["delivery-date", "Delivery date"],
  ["period-start", "Period start"],
  ["period-end", "Period end"],
  ["order-number", "Order number"],
  ["order-date", "Order date"],
  ["contract-number", "Contract number"],
  ["delivery-note", "Delivery note"],
  ["customer-number", "Customer number"],
  ["supplier-number", "Supplier number"],
  ["reference", "Reference"],
  ["company-registration", "Company registration number"],
  ["vat-id", "Seller VAT ID"],
  ["buyer-vat-id", "Buyer VAT ID"],
  ["tax-number", "Tax number"],
  ["seller", "Seller"],
  ["seller-address", "Seller address"],
  ["contact", "Contact"],
  ["phone", "Phone"],
  ["email-address", "E-mail"],
  ["buyer", "Buyer"],
  ["buyer-address", "Buyer address"],
  ["ship-to", "Ship to"],
  ["iban", "IBAN"],
  ["bic", "BIC"],
  ["payment-terms", "Payment terms"],
  ["currency", "Currency"],
  ["lines", "Sum of lines"],
  ["charges", "Charges"],
  ["discount", "Discount"],
  ["net", "Net amount"],
  ["tax", "Tax amount"],
  ["gross", "Total amount"],
  ["prepaid", "Prepaid amount"],
  ["rounding", "Rounding"],
  ["due", "Amount due"],
  ["note", "Note"],
];

const lineLabels: readonly (readonly [concept: string, label: string])[] = [
  ["line-number", "Position"],
  ["line-article", "Article number"],
  ["line-description", "Description"],
  ["line-quantity", "Quantity"],
  ["line-unit", "Unit"],
  ["line-price", "Unit price"],
  ["line-tax-rate", "Tax rate"],
  ["line-amount", "Amount"],
];

const taxLabels: readonly (readonly [concept: string, label: string])[] = [
  ["tax-rate", "VAT rate"],
  ["tax-basis", "Tax base"],
  ["tax", "Tax amount"],
];
