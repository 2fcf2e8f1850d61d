/** A column in the form of the REST API. */
interface Column {
  slug: string;
  name: string;
  table?: string;
  type?: "TEXT" | "NUMBER" | "DATE" | "BOOLEAN" | "ENUM";
  description?: string;
  isKey?: boolean;
  required?: boolean;
  enumValues?: string[];
  synonyms?: string[];
  sharedId?: string;
}

/** A model of the demo with its first schema and, optionally, the columns of a second one. */
export interface DemoModel {
  key: "invoices" | "receipts" | "agreements";
  project: "Accounts payable" | "Legal";
  name: string;
  instructions: string;
  tables: { slug: string; name: string; isPrimary: boolean }[];
  columns: Column[];
  /** The columns that the second schema adds, after the deployment was pinned to the first. */
  laterColumns?: Column[];
  /** The name of a deployment that serves the first schema. */
  deployment?: string;
}

/** The models of the demo organization, with typical columns of such documents. */
export const demoModels: readonly DemoModel[] = [
  {
    key: "invoices",
    project: "Accounts payable",
    name: "Invoices",
    instructions: "Supplier invoices. Amounts are in the currency of the invoice.",
    tables: [
      { slug: "invoice", name: "Invoice", isPrimary: true },
      { slug: "line_items", name: "Line items", isPrimary: false },
    ],
    columns: [
      {
        table: "invoice",
        slug: "invoice_number",
        name: "Invoice number",
        isKey: true,
        required: true,
        sharedId: "document_number",
      },
      {
        table: "invoice",
        slug: "invoice_date",
        name: "Invoice date",
        type: "DATE",
        required: true,
        sharedId: "document_date",
      },
      { table: "invoice", slug: "due_date", name: "Due date", type: "DATE" },
      { table: "invoice", slug: "seller", name: "Seller name", synonyms: ["Supplier", "Vendor"], sharedId: "issuer" },
      { table: "invoice", slug: "vat_id", name: "VAT ID" },
      { table: "invoice", slug: "net_amount", name: "Net amount", type: "NUMBER", synonyms: ["Subtotal"] },
      { table: "invoice", slug: "tax_amount", name: "Tax amount", type: "NUMBER", synonyms: ["VAT"] },
      {
        table: "invoice",
        slug: "total",
        name: "Total amount",
        type: "NUMBER",
        required: true,
        synonyms: ["Total due", "Amount due"],
        sharedId: "total",
      },
      { table: "line_items", slug: "description", name: "Description", isKey: true },
      { table: "line_items", slug: "quantity", name: "Quantity", type: "NUMBER" },
      { table: "line_items", slug: "unit_price", name: "Unit price", type: "NUMBER" },
      { table: "line_items", slug: "amount", name: "Amount", type: "NUMBER" },
    ],
    laterColumns: [
      { table: "invoice", slug: "order_number", name: "Order number", synonyms: ["Purchase order", "PO number"] },
      { table: "invoice", slug: "iban", name: "IBAN" },
    ],
    deployment: "Invoices, stable",
  },
  {
    key: "receipts",
    project: "Accounts payable",
    name: "Receipts",
    instructions: "Till receipts of shops and restaurants.",
    tables: [{ slug: "receipt", name: "Receipt", isPrimary: true }],
    columns: [
      { slug: "company", name: "Company", sharedId: "issuer" },
      { slug: "date", name: "Date", type: "DATE", required: true, sharedId: "document_date" },
      { slug: "address", name: "Address" },
      { slug: "total", name: "Total", type: "NUMBER", required: true, sharedId: "total" },
      { slug: "payment", name: "Payment", type: "ENUM", enumValues: ["CASH", "CARD"] },
    ],
  },
  {
    key: "agreements",
    project: "Legal",
    name: "Non-disclosure agreements",
    instructions: "Confidentiality agreements between companies.",
    tables: [{ slug: "agreement", name: "Agreement", isPrimary: true }],
    columns: [
      { slug: "parties", name: "Parties" },
      { slug: "effective_date", name: "Effective date", type: "DATE", sharedId: "document_date" },
      { slug: "term", name: "Term" },
      { slug: "governing_law", name: "Governing law", synonyms: ["Jurisdiction"] },
    ],
  },
];
