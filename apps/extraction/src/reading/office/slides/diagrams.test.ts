import { changeFiles, createPptx, createRelations } from "../../../testing/office.ts";
import { readDocument } from "../../document.ts";
import { defaultLimits } from "../../limits.ts";

/** Reads a slide with a paragraph and a diagram, whose model is given. */
async function read(model: string) {
  const diagram = `<p:graphicFrame><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds r:dm="r1" r:lo="r2"/></a:graphicData></a:graphic></p:graphicFrame>`;
  const bytes = changeFiles(createPptx([["first"]]), {
    "ppt/slides/slide1.xml": (text) => text.replace("</p:spTree>", `${diagram}</p:spTree>`),
    "ppt/slides/_rels/slide1.xml.rels": createRelations({
      r1: ["diagramData", "../diagrams/data1.xml"],
      r2: ["diagramLayout", "../diagrams/layout1.xml"],
    }),
    "ppt/diagrams/data1.xml": model,
  });
  const source = { bytes: new Uint8Array(bytes), filename: "a", contentType: "" };
  const { pages, problem } = await readDocument(source, defaultLimits);
  expect(problem).toBeUndefined();
  return {
    lines: pages.flatMap(({ lines }) => lines.map(({ text }) => text)),
    hidden: pages.flatMap(({ hidden = [] }) => hidden.map(({ text }) => text)),
  };
}

const point = (text: string, properties = ""): string =>
  `<dgm:pt><dgm:prSet/><dgm:t><a:p><a:r>${properties}<a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;

describe("the diagrams of slides", () => {
  it("have the text of their points, without what is hidden", async () => {
    const points = `<dgm:pt type="doc"/>${point("Offer")}${point("Order &amp; delivery")}${point("secret", '<a:rPr sz="50"/>')}`;
    expect(await read(`<dgm:dataModel><dgm:ptLst>${points}</dgm:ptLst></dgm:dataModel>`)).toEqual({
      lines: ["first", "Offer", "Order & delivery"],
      hidden: ["secret"],
    });
  });

  it("do not matter if they are damaged", async () => {
    expect(await read("<dgm:dataModel>")).toEqual({ lines: ["first"], hidden: [] });
  });
});
