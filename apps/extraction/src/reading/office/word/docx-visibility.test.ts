import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { createDocx } from "../../../testing/office.ts";
import { readDocument } from "../../document.ts";
import { defaultLimits } from "../../limits.ts";

describe("the text boxes of docx", () => {
  it("are hidden if their drawing is", async () => {
    const content = (text: string): string => `<w:txbxContent><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:txbxContent>`;
    const drawing = (text: string, hidden: string): string =>
      `<w:r><w:drawing><wp:anchor><wp:docPr id="1" name="x" ${hidden}/><a:graphic><wps:wsp><wps:txbx>${content(text)}</wps:txbx></wps:wsp></a:graphic></wp:anchor></w:drawing></w:r>`;
    const shape = (text: string, style: string): string =>
      `<w:r><w:pict><v:shape style="${style}"><v:textbox>${content(text)}</v:textbox></v:shape></w:pict></w:r>`;
    const boxes = [
      drawing("one", 'hidden="1"'),
      drawing("shown", ""),
      shape("two", "position:absolute;visibility:hidden"),
      shape("also shown", "visibility:visible"),
    ];
    const bytes = new Uint8Array(createDocx([], { body: `<w:p>${boxes.join("")}</w:p>` }));
    const { pages } = await readDocument({ bytes, filename: "a", contentType: "" }, defaultLimits);
    expect(pages.flatMap(({ lines }) => lines.map(({ text }) => text))).toEqual(["shown", "also shown"]);
    expect(pages.flatMap(({ hidden = [] }) => hidden)).toEqual(
      ["one", "two"].map((text) => ({ text, reason: HiddenReason.NOT_DISPLAYED })),
    );
  });
});
