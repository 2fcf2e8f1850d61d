/** A column of a table that can be exported. */
export interface ExportedColumn<Row> {
  readonly title: string;
  /** The value of a row as it is written to the export. */
  readonly value: (row: Row) => string | number | boolean | null;
}

/**
 * Returns rows as separated values (RFC 4180). A text that a spreadsheet program would take for a formula gets an apostrophe before it, as
 * in the export of values by the API; numbers never do.
 */
export function toCsv<Row>(columns: readonly ExportedColumn<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(({ title }) => quote(title)),
    ...rows.map((row) => columns.map(({ value }) => toField(value(row)))),
  ];
  return lines.map((fields) => `${fields.join(",")}\r\n`).join("");
}

/** Returns rows as a JSON array of objects with the columns' titles as names. A title that an earlier column has gets a number after it. */
export function toJson<Row>(columns: readonly ExportedColumn<Row>[], rows: readonly Row[]): string {
  const names = new Set<string>();
  const named = columns.map(({ title, value }) => {
    let name = title;
    for (let number = 2; names.has(name); number += 1) name = `${title} (${number})`;
    names.add(name);
    return { name, value };
  });
  const objects = rows.map((row) => Object.fromEntries(named.map(({ name, value }) => [name, value(row)])));
  return `${JSON.stringify(objects, undefined, 2)}\n`;
}

function toField(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  return quote(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Offers a text as a download. */
export function download(filename: string, mediaType: string, text: string): void {
  downloadBlob(filename, new Blob([text], { type: mediaType }));
}

/** Offers bytes as a download. They are never shown as a page of this origin, whatever they contain. */
export function downloadBytes(filename: string, mediaType: string, bytes: Uint8Array<ArrayBuffer>): void {
  downloadBlob(filename, new Blob([bytes], { type: mediaType }));
}

/** Offers bytes that are too many for one array as a download, in the same way. */
export function downloadBlob(filename: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
