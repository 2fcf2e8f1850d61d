/** How an element becomes a value. The unit of a quantity is the attribute `unitCode`. */
export type ValueForm = "text" | "number" | "date" | "address" | "unit";

/** Where the value of a concept is in an invoice: the paths at which it is looked for, one after the other. */
export interface InvoiceElement {
  readonly concept: string;
  readonly form: ValueForm;
  readonly paths: readonly string[];
}

/** The elements of a format of invoices. Paths of taxes and lines begin at the element that stands for one of them. */
export interface InvoiceFormat {
  readonly document: readonly InvoiceElement[];
  readonly taxes: { readonly path: string; readonly elements: readonly InvoiceElement[] };
  readonly lines: { readonly path: string; readonly elements: readonly InvoiceElement[] };
  /** The path of the currency of the sums. */
  readonly currency: string;
  /** The path of the code of the type of document (UNTDID 1001). */
  readonly type: string;
}

/** Creates the place of a value. */
export function element(concept: string, form: ValueForm, ...paths: readonly string[]): InvoiceElement {
  return { concept, form, paths };
}
