import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { changeFiles, createDocx, createRelations } from "../../../testing/office.ts";
import { readDocument } from "../../document.ts";
import { createBudget, defaultLimits } from "../../limits.ts";
import { openArchive } from "../archive.ts";
import { readChunks } from "./chunks.ts";

async function read(bytes: Uint8Array) {
  const source = { bytes: new Uint8Array(bytes), filename: "a", contentType: "" };
  const { pages, warnings, omissions, problem } = await readDocument(source, defaultLimits);
  return {
    lines: pages.flatMap(({ lines }) => lines.map(({ text }) => text)),
    hidden: pages.flatMap(({ hidden = [] }) => hidden.map(({ text, reason }) => [text, reason])),
    ...{ warnings, omissions, problem },
  };
}

const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Inserts documents between two paragraphs of another. */
function insert(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const names = Object.keys(files);
  const chunks = names.map((_, index) => `<w:altChunk r:id="c${index}"/>`).join("");
  return changeFiles(createDocx([], { body: paragraph("before") + chunks + paragraph("after") }), {
    "word/_rels/document.xml.rels": createRelations(
      Object.fromEntries(names.map((name, index) => [`c${index}`, ["aFChunk", name] as const])),
    ),
    ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`word/${name}`, content])),
  });
}

const html = `<html><body><p>in HTML</p><p style="display: none">secret</p><table><tr><td>Total</td><td>12.50</td></tr></table></body></html>`;
const mhtml = `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="x"\r\n\r\n--x\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: file:///a.html\r\n\r\n<html><body><p>Caf=C3=A9 in MHTML</p></body></html>\r\n--x--\r\n`;

describe("the documents in a docx", () => {
  it("are read at their place, without what they say of themselves", async () => {
    const saved = `From: <Saved by a program>\r\nSubject: saved\r\n${mhtml}`;
    const nested = createDocx(["in docx"]);
    const rtf = "{\\rtf1 in RTF\\par}";
    const files = {
      "a.html": html,
      "b.mht": mhtml,
      "c.mht": saved,
      "d.rtf": rtf,
      "e.docx": nested,
      "f.txt": "in text",
    };
    expect(await read(insert(files))).toMatchObject({
      lines: [
        "before",
        "in HTML",
        "Total\t12.50",
        "Café in MHTML",
        "Café in MHTML",
        "in RTF",
        "in docx",
        "in text",
        "after",
      ],
      hidden: [["secret", HiddenReason.NOT_DISPLAYED]],
      ...{ warnings: [], omissions: [], problem: undefined },
    });
  });

  it("are read without the pictures and styles of an archive of HTML", async () => {
    const part = (headers: string, content: string): string =>
      `--x\r\nContent-Location: file:///a\r\nContent-Type: ${headers}\r\n\r\n${content}\r\n`;
    const others = [
      part("image/png\r\nContent-Transfer-Encoding: base64", "iVBORw0KGgo="),
      part("text/css", "p { color: red }"),
      part("text/xml", "<xml/>"),
    ];
    const archive = mhtml.replace("--x--", `${others.join("").repeat(20)}--x--`);
    expect(await read(insert({ "a.mht": archive, "b.html": html }))).toMatchObject({
      lines: ["before", "Café in MHTML", "in HTML", "Total\t12.50", "after"],
      ...{ warnings: [], omissions: [], problem: undefined },
    });
  });

  it("can be all that there is, and count as its text once", async () => {
    const only = changeFiles(createDocx([], { body: '<w:altChunk r:id="c0"/>' }), {
      "word/_rels/document.xml.rels": createRelations({ c0: ["aFChunk", "a.mht"] }),
      "word/a.mht": mhtml,
    });
    expect((await read(only)).lines).toEqual(["Café in MHTML"]);
    const source = { bytes: new Uint8Array(only), filename: "a", contentType: "" };
    const exact = await readDocument(source, { ...defaultLimits, maxCharacters: "Café in MHTML\n".length });
    expect(exact.omissions).toEqual([]);
  });

  it("are read once, so that many references to one take bounded memory", async () => {
    const body = '<w:altChunk r:id="c0"/>'.repeat(50_000);
    const many = changeFiles(createDocx([], { body }), {
      "word/_rels/document.xml.rels": createRelations({ c0: ["aFChunk", "a.txt"] }),
      "word/a.txt": "a line\n".repeat(20_000),
    });
    const { lines, problem } = await read(many);
    expect([lines.length, problem]).toEqual([20_000, undefined]);
  });

  it("are warnings if they cannot be read", async () => {
    const files = {
      "a.xml": '<?xml version="1.0"?><pkg:package xmlns:pkg="x">source</pkg:package>',
      "b.bin": new Uint8Array([0, 1, 2]),
    };
    const { lines, warnings, problem } = await read(insert(files));
    expect([lines, problem]).toEqual([["before", "after"], undefined]);
    expect(warnings).toEqual([
      "A document in the document was not read: Its format is not read here.",
      expect.stringMatching(/^A document in the document was not read: Documents of type .* are not read\.$/),
    ]);
  });

  it("are read to the depth and the number of attachments", async () => {
    let document = insert({});
    for (let depth = 0; depth < 6; depth += 1) document = insert({ "a.docx": document });
    const { lines, omissions } = await read(document);
    expect(lines).toEqual([...Array<string>(4).fill("before"), ...Array<string>(4).fill("after")]);
    expect(omissions).toEqual(["Documents more than 3 levels deep were not read."]);
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at}.txt`, `text ${at}`]));
    const read60 = await read(insert(many));
    expect(read60.lines).toHaveLength(52);
    expect(read60.omissions).toEqual(["Only the first 50 attachments were read."]);
    expect(read60.problem).not.toMatchObject({ code: ReadProblem.UNREADABLE_FILE });
  });

  it("may have more hidden texts than a call can have arguments", async () => {
    const hidden = Array.from({ length: 200_000 }, () => ({ text: "secret", reason: HiddenReason.TINY }));
    const context = { budget: createBudget(defaultLimits), depth: 0 };
    const chunks = await readChunks(openArchive(insert({ "a.html": html })), context, async (source, part) => {
      const { pages, ...reading } = await readDocument(source, part.budget.limits);
      return { formValues: [], warnings: reading.warnings, pages: pages.map((page) => ({ ...page, hidden })) };
    });
    expect(chunks.hidden).toHaveLength(hidden.length);
  });
});

describe("the diagrams of docx", () => {
  const point = (text: string, properties = ""): string =>
    `<dgm:pt><dgm:t><a:p><a:r>${properties}<a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const drawing = `<w:r><w:drawing><wp:inline><a:graphic><a:graphicData><dgm:relIds r:dm="m"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;

  it("are after their paragraph, also in cells and headers, without what is hidden", async () => {
    const body = `<w:p>${drawing}<w:r><w:t>text</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p>${drawing}</w:p></w:tc></w:tr></w:tbl>`;
    const model = `<dgm:dataModel><dgm:ptLst>${point("Offer")}${point("secret", '<a:rPr sz="50"/>')}</dgm:ptLst></dgm:dataModel>`;
    const header = changeFiles(createDocx([], { body, header: "header" }), {
      "word/_rels/document.xml.rels": createRelations({
        h: ["header", "header1.xml"],
        m: ["diagramData", "diagrams/data1.xml"],
      }),
      "word/_rels/header1.xml.rels": createRelations({ m: ["diagramData", "diagrams/data2.xml"] }),
      "word/header1.xml": `<w:hdr><w:p>${drawing}</w:p></w:hdr>`,
      "word/diagrams/data1.xml": model,
      "word/diagrams/data2.xml": model.replace("Offer", "Order"),
    });
    expect(await read(header)).toMatchObject({
      lines: ["Order", "text", "Offer", "Offer"],
      hidden: [["secret secret secret", HiddenReason.TINY]],
    });
  });
});
