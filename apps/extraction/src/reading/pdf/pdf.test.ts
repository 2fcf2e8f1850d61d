import { fromBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema, TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createDocumentReader, pageCount, plainText } from "../index.ts";
import type { ReadResult } from "../index.ts";
import { bombPdf, createPdf, rawPdf, slowPdf } from "../../testing/pdf.ts";

/** The smallest image: one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** The timeout of tests that wait for a limit, in milliseconds: enough for a machine that is busy with other work. */
const timeoutMs = 60_000;

const getMessage = (text: Uint8Array) => fromBinary(DocumentTextSchema, text);

describe("reading PDF", () => {
  const reader = createDocumentReader({ maxPages: 4 });
  afterAll(() => reader.close());

  const read = (bytes: Uint8Array): Promise<ReadResult> => reader.read({ bytes, filename: "a.pdf", contentType: "" });

  it("returns columns and the rows of tables, and words with their boxes", async () => {
    const bytes = await createPdf((pdf) => {
      pdf.fontSize(18).text("INVOICE 4711", 50, 50);
      pdf.fontSize(10).text("Example Ltd", 50, 90).text("Date:", 350, 90).text("2024-05-01", 420, 90);
      ["Item", "Qty", "Amount"].forEach((head, column) => pdf.text(head, 50 + column * 150, 150));
      ["Paper, white", "2", "12.00"].forEach((cell, column) => pdf.text(cell, 50 + column * 150, 165));
    });
    const { text, contentType, problem, warnings } = await read(bytes);
    expect({ contentType, problem, warnings }).toEqual({
      contentType: "application/pdf",
      problem: undefined,
      warnings: [],
    });
    expect(plainText(text)).toBe(
      "INVOICE 4711\nExample Ltd\tDate:\t2024-05-01\nItem\tQty\tAmount\nPaper, white\t2\t12.00",
    );
    const [page] = getMessage(text).pages;
    expect(page).toMatchObject({ number: 1, source: TextSource.TEXT, attachment: "" });
    expect([page!.width, page!.height].map(Math.round)).toEqual([595, 842]);
    const amount = page!.lines[3]!.words.at(-1)!;
    expect(amount).toMatchObject({ text: "12.00", offset: 15 });
    expect(amount.box!.x).toBeCloseTo(350 / 595.28, 3);
    expect(amount.box!.y).toBeGreaterThan(163 / 841.89);
    expect(amount.box!.y + amount.box!.height).toBeLessThan(180 / 841.89);
  });

  it.each([90, 180, 270])("returns boxes on the displayed page, rotated by %i degrees", async (turn) => {
    // The page has 600 x 800 points; the text starts 50 points from the left and 700 from the bottom.
    const { text } = await read(rawPdf("BT /F1 10 Tf 50 700 Td (Turned by) Tj ET", `/Rotate ${turn}`));
    const [page] = getMessage(text).pages;
    expect(page!.lines.map((line) => line.text)).toEqual(["Turned by"]);
    const { x, y, width, height } = page!.lines[0]!.box!;
    const [left, top, right, bottom] = [
      x * page!.width,
      y * page!.height,
      (x + width) * page!.width,
      (y + height) * page!.height,
    ];
    if (turn === 180) {
      expect([page!.width, page!.height]).toEqual([600, 800]);
      expect(right).toBeCloseTo(550, 1);
      expect(bottom).toBeCloseTo(708, 1);
    } else {
      expect([page!.width, page!.height]).toEqual([800, 600]);
      if (turn === 90) expect([left, top].map(Math.round)).toEqual([698, 50]);
      else expect([right, bottom].map(Math.round)).toEqual([102, 550]);
    }
  });

  it("returns the values of form fields, separately and in their lines", async () => {
    const bytes = await createPdf((pdf) => {
      pdf.font("Helvetica").fontSize(10).text("Registrant:", 50, 103);
      pdf.initForm();
      pdf.formText("registrant", 150, 100, 200, 16, { value: "Acme Corp", fontSize: 10 });
      pdf.formText("empty", 150, 130, 200, 16);
      pdf.formCombo("country", 150, 160, 200, 16, { select: ["", "France"], value: "France" });
      pdf.formText("notes", 150, 200, 200, 60, { value: "first line\nsecond line", multiline: true, fontSize: 10 });
    });
    const { text } = await read(bytes);
    expect(getMessage(text).formValues.map(({ name, value, page }) => ({ name, value, page }))).toEqual([
      { name: "registrant", value: "Acme Corp", page: 1 },
      { name: "country", value: "France", page: 1 },
      { name: "notes", value: "first line\nsecond line", page: 1 },
    ]);
    expect(getMessage(text).formValues[0]!.box!.x).toBeCloseTo(150 / 595.28, 3);
    expect(getMessage(text).formValues[0]!.box!.y).toBeCloseTo(100 / 841.89, 3);
    expect(plainText(text)).toBe("Registrant:\tAcme Corp\nFrance\nfirst line\nsecond line");
    expect(getMessage(text).pages[0]!.source).toBe(TextSource.TEXT);
  });

  it("reports FORM as the source of a page whose text is only in form fields", async () => {
    const bytes = await createPdf((pdf) => {
      pdf.font("Helvetica").initForm();
      pdf.formText("name", 150, 100, 200, 16, { value: "Acme Corp" });
    });
    const { text, problem } = await read(bytes);
    expect(problem).toBeUndefined();
    expect(getMessage(text).pages[0]!.source).toBe(TextSource.FORM);
  });

  it("reports ENCRYPTED_FILE only if a password is needed", async () => {
    const locked = await createPdf((pdf) => pdf.text("secret"), { userPassword: "x", ownerPassword: "y" });
    expect((await read(locked)).problem).toMatchObject({ code: ReadProblem.ENCRYPTED_FILE });
    const open = await createPdf((pdf) => pdf.text("not secret"), { ownerPassword: "y" });
    expect(plainText((await read(open)).text)).toBe("not secret");
  });

  it("reports UNREADABLE_FILE for an incomplete PDF", async () => {
    const whole = await createPdf((pdf) => {
      for (let line = 0; line < 30; line++) pdf.text(`line ${line}`);
    });
    for (const part of [0.2, 0.5, 0.8]) {
      const { problem } = await read(whole.subarray(0, Math.round(whole.length * part)));
      expect(problem).toMatchObject({ code: ReadProblem.UNREADABLE_FILE });
    }
  });

  it("reports EMPTY_DOCUMENT if all pages are images, and warns if only some are", async () => {
    const scan = await createPdf((pdf) => pdf.image(pixel, 0, 0, { width: 500 }).addPage().image(pixel, 0, 0));
    const { problem, text } = await read(scan);
    expect(problem).toMatchObject({ code: ReadProblem.EMPTY_DOCUMENT });
    expect(pageCount(text)).toBe(2);
    const mixed = await read(await createPdf((pdf) => pdf.text("cover").addPage().image(pixel, 0, 0)));
    expect(mixed.problem).toBeUndefined();
    expect(mixed.warnings).toEqual(["1 of 2 pages have no text; they may be images"]);
  });

  it("reads at most the maximum number of pages", async () => {
    const { text, omissions } = await read(
      await createPdf((pdf) =>
        ["1", "2", "3", "4", "5", "6"].forEach((page, index) => (index ? pdf.addPage() : pdf).text(page)),
      ),
    );
    expect(plainText(text)).toBe("1\n2\n3\n4");
    expect(omissions).toEqual(["Only the first 4 pages were read."]);
  });

  it(
    "ends a slow one after the timeout, while others are read",
    async () => {
      // Of processor time, so a busy machine has the same result.
      const limited = createDocumentReader({ workers: 2, timeoutMs: 3_000 });
      try {
        const bytes = await createPdf((pdf) => pdf.text("quick"));
        const readQuick = () => limited.read({ bytes, filename: "quick.pdf", contentType: "" });
        // Both threads have started and loaded their code, which can take seconds on a busy machine.
        await Promise.all([readQuick(), readQuick()]);
        const order: string[] = [];
        const slow = limited
          .read({ bytes: slowPdf(), filename: "slow.pdf", contentType: "" })
          .finally(() => order.push("slow"));
        for (let count = 0; count < 3; count++) {
          expect(plainText((await readQuick()).text)).toBe("quick");
          order.push("quick");
        }
        expect(await slow).toMatchObject({
          contentType: "application/pdf",
          problem: { code: ReadProblem.UNREADABLE_FILE, message: "Reading the document took longer than 3 seconds." },
        });
        expect(order).toEqual(["quick", "quick", "quick", "slow"]);
      } finally {
        await limited.close();
      }
    },
    timeoutMs,
  );

  it(
    "ends one that exceeds the memory limit, and continues with the next",
    async () => {
      const small = createDocumentReader({ workers: 1, memoryMb: 96 });
      const [bomb, next] = await Promise.all([
        small.read({ bytes: bombPdf(200), filename: "bomb.pdf", contentType: "" }),
        small.read({ bytes: Buffer.from("still there"), filename: "a.txt", contentType: "" }),
      ]);
      expect(bomb.problem).toEqual({
        code: ReadProblem.UNREADABLE_FILE,
        message: "Reading the document took more than 96 MiB of memory.",
      });
      expect(plainText(next.text)).toBe("still there");
      await small.close();
    },
    timeoutMs,
  );
});
