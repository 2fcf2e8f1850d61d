import { ExportFormat } from "@switchyard/contracts/switchyard/extraction/v1/values";
import { parse } from "csv-parse/sync";
import { readSheet } from "read-excel-file/node";
import { givenOffice } from "../testing/office.ts";
import { accept, addFile, createValuesModel, download, overGrpc } from "./testing.ts";
import type { Cell } from "./testing.ts";

/** Texts that spreadsheet programs take for formulas, or that a format could damage. */
const texts = [
  "=1+1",
  "+49 30 123",
  "-5",
  "@SUM(A1)",
  "\tindented",
  "\rreturn",
  'say "hello", world',
  "two\nlines",
  " spaces ",
  "'quoted",
  "Ünïcödé 漢字 😀",
  "<b>&amp;</b>",
  "1,5",
  "true",
  "2026-01-02",
];

describe("13 the export of values", () => {
  const given = givenOffice();
  let modelId: string;
  const path = (query: string, id = modelId) => `/api/v1/deployments/${id}/values:export?${query}`;

  beforeAll(async () => {
    modelId = await createValuesModel(given, "Exported");
    for (const [index, text] of texts.entries()) {
      const values: Record<string, Cell> = { supplier: text, note: null, total: index - 5.25, paid: index % 2 === 0 };
      await accept(given, await addFile(given, `=file ${index}.txt`), modelId, values, [{ part: "a" }, { part: "b" }]);
    }
  });

  it("is CSV by default: RFC 4180 in UTF-8 with CRLF, with a header of the slugs, as an attachment", async () => {
    const { headers, bytes } = await download(given, path(""));
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toContain('attachment; filename="document.csv"');
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    expect(text.startsWith("fileId,filename,row,supplier,note,total,paid\r\n")).toBe(true);
    expect(text.endsWith("\r\n")).toBe(true);
    const rows = parse(text, { record_delimiter: "\r\n" });
    expect(rows).toHaveLength(texts.length + 1);
    expect(rows.slice(1).map(([, , row]) => row)).toEqual(texts.map(() => "0"));
    for (const format of ["csv", "CSV"]) expect((await download(given, path(`format=${format}`))).bytes).toEqual(bytes);
  });

  it("is compressed if it is text and the client accepts that", async () => {
    const asked = async (query: string, coding: string) => {
      const authorization = `Bearer ${given.system.token}`;
      const request = { headers: { authorization, "accept-encoding": coding } };
      const response = await fetch(`${given.system.url}${path(query)}`, request);
      await response.body?.cancel();
      return [response.status, response.headers.get("content-encoding")];
    };
    expect(await asked("", "gzip")).toEqual([200, "gzip"]);
    expect(await asked("format=JSONL", "br, gzip;q=0.5, identity;q=0")).toEqual([200, "br"]);
    expect(await asked("format=XLSX", "gzip")).toEqual([200, null]);
    expect(await asked("format=XLSX", "gzip, identity;q=0")).toEqual([406, "gzip"]);
    expect(await asked("", "identity;q=0")).toEqual([406, null]);
  });

  it("puts an apostrophe before texts that begin like formulas, and never before numbers", async () => {
    const { bytes } = await download(given, path("format=CSV"));
    const rows = parse<Record<string, string>>(bytes.toString(), { columns: true, record_delimiter: "\r\n" });
    const expected = texts.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text));
    expect(rows.map(({ supplier }) => supplier)).toEqual(expected.toReversed());
    expect(rows.map(({ total }) => total)).toEqual(texts.map((_, index) => String(index - 5.25)).toReversed());
    expect(rows.map(({ paid }) => paid)).toEqual(texts.map((_, index) => String(index % 2 === 0)).toReversed());
    expect(rows[0]).toMatchObject({ filename: `'=file ${texts.length - 1}.txt`, note: "" });
  });

  it("is JSON lines, each of which is an item of the list", async () => {
    const { headers, bytes } = await download(given, path("format=JSONL"));
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    expect(headers.get("content-disposition")).toContain('filename="document.jsonl"');
    const lines = bytes.toString().trimEnd().split("\n");
    const { body } = await given.rest.get(`/api/v1/deployments/${modelId}/values?limit=500`);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(body.data);
  });

  it("is a spreadsheet with the same values, in which formulas are texts", async () => {
    const { headers, bytes } = await download(given, path("format=XLSX"));
    expect(headers.get("content-type")).toBe("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    expect(headers.get("content-disposition")).toContain('filename="document.xlsx"');
    const rows = await readSheet(bytes, { trim: false });
    const { body } = await given.rest.get(`/api/v1/deployments/${modelId}/values?limit=500`);
    expect(rows).toEqual([
      ["fileId", "filename", "row", "supplier", "note", "total", "paid"],
      ...body.data.map(({ fileId, filename, row, values }: any) => [
        ...[fileId, filename, row],
        ...[values.supplier, values.note, values.total, values.paid],
      ]),
    ]);
  });

  it("takes the table and the filters of the list", async () => {
    const lines = async (query: string) =>
      (await download(given, path(query))).bytes.toString().split("\r\n").length - 2;
    expect(await lines("table=parts")).toBe(2 * texts.length);
    expect(await lines("table=parts&search=B")).toBe(texts.length);
    expect(await lines("status=ACCEPTED")).toBe(texts.length);
    expect(await lines("status=UNREVIEWED")).toBe(0);
    expect(await lines("from=2100-01-01T00:00:00Z")).toBe(0);
    expect(await lines("to=2100-01-01T00:00:00Z")).toBe(texts.length);
  });

  it("is the same over gRPC", async () => {
    const { client, options } = overGrpc(given);
    for (const [format, name] of [
      [ExportFormat.CSV, "CSV"],
      [ExportFormat.JSONL, "JSONL"],
      [ExportFormat.XLSX, "XLSX"],
    ] as const) {
      const pieces: Uint8Array[] = [];
      for await (const { data } of client.exportValues({ targetId: modelId, format }, options)) pieces.push(data);
      expect(Buffer.concat(pieces).equals((await download(given, path(`format=${name}`))).bytes)).toBe(true);
    }
  });

  it("has only a header if there are no rows", async () => {
    const empty = await createValuesModel(given, "Empty");
    expect((await download(given, path("table=parts", empty))).bytes.toString()).toBe("fileId,filename,row,part\r\n");
    const lines = await download(given, path("format=JSONL", empty));
    expect([lines.bytes.toString(), lines.headers.get("content-type")]).toEqual(["", "application/x-ndjson"]);
    const sheet = await download(given, path("format=XLSX", empty));
    expect(await readSheet(sheet.bytes)).toHaveLength(1);
  });
});
