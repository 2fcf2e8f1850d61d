import fc from "fast-check";
import { createDocx, createOpenDocument, createPptx, createXlsx } from "../testing/office.ts";
import { ciiInvoice, drawInvoice, ublInvoice } from "../testing/invoices.ts";
import { createPdf } from "../testing/pdf.ts";
import { readDocument } from "./document.ts";
import { defaultLimits } from "./limits.ts";

/** The number of mutated documents: 120 in `npm test`, 5,000 in `npm run test:long`. */
const numRuns = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 5_000 : 120;

describe("mutated documents of every format", () => {
  it("are read or have a problem, and no reader fails", async () => {
    const mail = (name: string, bytes: Buffer): string =>
      `From: a@b.c\r\nTo: d@e.f\r\nMessage-ID: <1@x>\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString("base64")}\r\n--x--\r\n`;
    const table = [
      ["Item", "Amount"],
      ["Steel", 12.5],
    ];
    const documents = [
      createDocx(["Invoice", table]),
      createXlsx({ Sheet: table }),
      createPptx([["Invoice"]]),
      createOpenDocument("text", ["Invoice", table]),
      createOpenDocument("spreadsheet", [table]),
      Buffer.from(ublInvoice()),
      Buffer.from(`\ufeff${ciiInvoice()}`, "utf16le"),
      await createPdf((pdf) => drawInvoice(pdf, ciiInvoice())),
      Buffer.from(mail("a.xlsx", createXlsx({ Sheet: table }))),
      Buffer.from('Item;Amount\r\n"Steel; brass";12,50\r\n'),
      Buffer.from("<html><table><tr><td>Item<td>12.50</table></html>"),
      Buffer.from("{\\rtf1\\ansi Invoice\\par 12.50}"),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...documents),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.option(fc.nat(), { freq: 3 }),
        fc.constantFrom("a", "a.csv", "a.xml", "a.pdf"),
        async (document, changes, cut, filename) => {
          const mutated = Buffer.from(document);
          for (const [at, byte] of changes) mutated[at % mutated.length] = byte;
          // Copied, because the reader of PDF takes the whole buffer.
          const bytes = new Uint8Array(cut === null ? mutated : mutated.subarray(0, cut % mutated.length));
          const { problem, pages } = await readDocument({ bytes, filename, contentType: "" }, defaultLimits);
          if (problem !== undefined) expect(problem.message).toMatch(/^[A-Z].*\.$/s);
          expect(pages.flatMap((page) => page.lines).every(({ text }) => text.trim() !== "")).toBe(true);
        },
      ),
      { numRuns },
    );
  }, 1_200_000);
});
