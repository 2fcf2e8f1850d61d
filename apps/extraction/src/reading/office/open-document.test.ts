import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { changeFiles, createOpenDocument } from "../../testing/office.ts";
import { readDocument } from "../document.ts";
import { defaultLimits } from "../limits.ts";

describe("the sections and paragraphs of odt", () => {
  it("are hidden by conditions, also in cells", async () => {
    const section = (name: string, attributes: string): string =>
      `<text:section ${attributes}><text:p>${name}</text:p></text:section>`;
    const paragraph = (name: string, hidden: boolean): string =>
      `<text:p><text:hidden-paragraph text:condition="ooow:x" text:is-hidden="${hidden}"/>${name}</text:p>`;
    const content = [
      section("one", 'text:display="condition" text:condition="ooow:x" text:is-hidden="true"'),
      section("shown", 'text:display="condition" text:condition="ooow:x"'),
      paragraph("two", true),
      paragraph("also shown", false),
      `<table:table><table:table-row><table:table-cell>${section("three", 'text:display="none"')}${paragraph("four", true)}<text:p>cell</text:p></table:table-cell></table:table-row></table:table>`,
    ];
    const bytes = changeFiles(createOpenDocument("text", []), {
      "content.xml": `<d><office:body><office:text>${content.join("")}</office:text></office:body></d>`,
    });
    const source = { bytes: new Uint8Array(bytes), filename: "a", contentType: "" };
    const { pages } = await readDocument(source, defaultLimits);
    expect(pages.flatMap(({ lines }) => lines.map(({ text }) => text))).toEqual(["shown", "also shown", "cell"]);
    expect(pages.flatMap(({ hidden = [] }) => hidden)).toEqual(
      ["one", "two", "three", "four"].map((text) => ({ text, reason: HiddenReason.NOT_DISPLAYED })),
    );
  });
});
