import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { changeFiles, createOpenDocument, createRelations, createXlsx } from "../../../testing/office.ts";
import { readDocument } from "../../document.ts";
import { defaultLimits } from "../../limits.ts";

async function read(bytes: Uint8Array) {
  const source = { bytes: new Uint8Array(bytes), filename: "", contentType: "" };
  const { pages, problem } = await readDocument(source, defaultLimits);
  expect(problem).toBeUndefined();
  return {
    lines: pages.flatMap((page) => page.lines.map(({ text }) => text)),
    hidden: pages.flatMap(({ hidden = [] }) => hidden.map(({ text, reason }) => [text, reason])),
  };
}

const rows = [
  ["Item", "Amount"],
  ["Steel", 60],
  ["Total", 60],
];

/** Adds a drawing to the first sheet of a workbook. */
function draw(workbook: Uint8Array, anchors: string): Buffer {
  return changeFiles(workbook, {
    "xl/worksheets/sheet1.xml": (text) => text.replace("</worksheet>", '<drawing r:id="d"/></worksheet>'),
    "xl/worksheets/_rels/sheet1.xml.rels": createRelations({ d: ["drawing", "../drawings/drawing1.xml"] }),
    "xl/drawings/_rels/drawing1.xml.rels": createRelations({ m: ["diagramData", "../diagrams/data1.xml"] }),
    "xl/diagrams/data1.xml":
      "<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>in a diagram</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>",
    "xl/drawings/drawing1.xml": `<xdr:wsDr>${anchors}</xdr:wsDr>`,
  });
}

const place = (end: string, row: number): string =>
  `<xdr:${end}><xdr:col>0</xdr:col><xdr:row>${row}</xdr:row></xdr:${end}>`;
const anchor = (from: number, content: string, to = from): string =>
  `<xdr:twoCellAnchor>${place("from", from)}${place("to", to)}${content}<xdr:clientData/></xdr:twoCellAnchor>`;
const run = (text: string, properties = ""): string => `<a:r>${properties}<a:t>${text}</a:t></a:r>`;
const shape = (runs: readonly string[], properties = "", marks = ""): string =>
  `<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="x" ${marks}/></xdr:nvSpPr><xdr:spPr>${properties}</xdr:spPr><xdr:txBody>${runs.map((each) => `<a:p>${each}</a:p>`).join("")}</xdr:txBody></xdr:sp>`;
const fill = (color: string): string => `<a:solidFill><a:srgbClr val="${color}"/></a:solidFill>`;

describe("the shapes of spreadsheets", () => {
  it("are after the row in which they begin, in groups and diagrams as well", async () => {
    const group = `<xdr:grpSp>${shape([run("Paid ") + run("in full"), run("Thank you")])}</xdr:grpSp>`;
    const diagram = `<xdr:graphicFrame><a:graphic><a:graphicData><dgm:relIds r:dm="m"/></a:graphicData></a:graphic></xdr:graphicFrame>`;
    const doubled = `<mc:AlternateContent><mc:Choice>${anchor(1, diagram)}</mc:Choice><mc:Fallback>${anchor(1, shape([run("again")]))}</mc:Fallback></mc:AlternateContent>`;
    const bytes = draw(createXlsx({ S: rows }), anchor(9, group) + doubled + anchor(0, shape([run("Acme Ltd")])));
    expect(await read(bytes)).toEqual({
      lines: ["Item\tAmount", "Acme Ltd", "Steel\t60", "in a diagram", "Total\t60", "Paid in full", "Thank you"],
      hidden: [],
    });
    const only = draw(createXlsx({ S: [] }), anchor(0, shape([run("Invoice 4711")])));
    expect((await read(only)).lines).toEqual(["Invoice 4711"]);
  });

  it("are hidden if they are marked so, between hidden cells, or in letters that people cannot see", async () => {
    const anchors = [
      anchor(0, shape([run("marked")], "", 'hidden="1"')),
      anchor(1, shape([run("between")])),
      anchor(
        3,
        shape(
          [run("seen ") + run("tiny", '<a:rPr sz="50"/>') + run("white", `<a:rPr>${fill("FFFFFF")}</a:rPr>`)],
          fill("FFFFFF"),
        ),
      ),
    ];
    const workbook = createXlsx({ S: rows }, { rowAttributes: ' hidden="1"' });
    expect(await read(draw(workbook, anchors.join("")))).toEqual({
      lines: ["Item\tAmount", "Total\t60", "seen"],
      hidden: [
        ["Steel 60", HiddenReason.NOT_DISPLAYED],
        ["marked", HiddenReason.NOT_DISPLAYED],
        ["between", HiddenReason.NOT_DISPLAYED],
        ["tiny", HiddenReason.TINY],
        ["white", HiddenReason.COLOR],
      ],
    });
    const secret = createXlsx({ S: rows, T: [["seen"]] }, { attributes: { S: 'state="hidden"' } });
    const { lines, hidden } = await read(draw(secret, anchor(0, shape([run("on a hidden sheet")]))));
    expect([lines, hidden.map(([text]) => text)]).toEqual([["seen"], expect.arrayContaining(["on a hidden sheet"])]);
  });

  it("are shown if a row that they cover is", async () => {
    const sheet = createXlsx({ S: Array.from({ length: 6 }, (_, at) => [`row ${at + 1}`]) });
    const filtered = changeFiles(sheet, {
      "xl/worksheets/sheet1.xml": (text) => text.replace(/<row r="[2356]"/g, '$& hidden="1"'),
    });
    const anchors = anchor(1, shape([run("seen")]), 4) + anchor(4, shape([run("without a size")]), 5);
    const { lines, hidden } = await read(draw(filtered, anchors));
    expect(lines).toEqual(["row 1", "seen", "row 4"]);
    expect(hidden.map(([text]) => text)).toContain("without a size");
  });

  it("do not matter if they are damaged", async () => {
    expect((await read(draw(createXlsx({ S: rows }), "<xdr:twoCellAnchor>"))).lines).toHaveLength(3);
  });

  it("are beside the cells of ods, with which they were mixed, and after those that are at no cell", async () => {
    const cell = (content: string, attributes = ""): string =>
      `<table:table-cell ${attributes}>${content}</table:table-cell>`;
    const box = (text: string): string =>
      `<draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
    const row = (cells: string, attributes = ""): string => `<table:table-row ${attributes}>${cells}</table:table-row>`;
    const table = [
      `<table:shapes><draw:custom-shape><text:p>at the sheet</text:p></draw:custom-shape></table:shapes>`,
      row(cell(`${box("at a number")}<text:p>12.50</text:p>`) + cell("<text:p>EUR</text:p>")),
      row(cell(`${box("at a date")}<text:p>some day</text:p>`, 'office:date-value="2026-03-31"')),
      row(cell(box("secret")), 'table:visibility="collapse"'),
    ];
    const bytes = changeFiles(createOpenDocument("spreadsheet", []), {
      "content.xml": `<d><office:body><office:spreadsheet><table:table>${table.join("")}</table:table></office:spreadsheet></office:body></d>`,
    });
    expect(await read(bytes)).toEqual({
      lines: ["12.50\tEUR", "at a number", "2026-03-31", "at a date", "at the sheet"],
      hidden: [["secret", HiddenReason.NOT_DISPLAYED]],
    });
  });
});
