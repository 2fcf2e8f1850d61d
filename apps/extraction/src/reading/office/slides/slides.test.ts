import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { changeFiles, createPptx, createRelations } from "../../../testing/office.ts";
import { readDocument } from "../../document.ts";
import { defaultLimits } from "../../limits.ts";

/** The properties of a run with a color. */
const colored = (color: string, more = ""): string => `<a:rPr><a:solidFill>${color}</a:solidFill>${more}</a:rPr>`;
const rgb = (value: string, inside = ""): string => `<a:srgbClr val="${value}">${inside}</a:srgbClr>`;
const fill = (value: string): string => `<a:solidFill>${rgb(value)}</a:solidFill>`;
const run = (text: string, properties = ""): string => `<a:r>${properties}<a:t>${text}</a:t></a:r>`;
const body = (...runs: string[]): string => `<p:txBody><a:lstStyle/><a:p>${runs.join("")}</a:p></p:txBody>`;
const frame = (x: number, y: number, width: number, height: number, attributes = ""): string =>
  `<a:xfrm${attributes}><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm>`;
/** A shape with a place, a fill and runs. */
const shape = (place: string, filling: string, ...runs: string[]): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="7"/></p:nvSpPr><p:spPr>${place}<a:prstGeom prst="rect"/>${filling}</p:spPr>${runs.length > 0 ? body(...runs) : ""}</p:sp>`;
const place = frame(100, 100, 500, 100);
const none = "<a:noFill/>";
const white = run("white", colored(rgb("FEFEFE")));

/** Reads a slide of 1,000 by 1,000 with these shapes, and what else it has. */
async function read(
  shapes: string,
  { background = "", layout = "", master = "", after = "" } = {},
): Promise<{ text: string; hidden: [string, HiddenReason][] }> {
  const scheme = `<a:clrScheme><a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1><a:lt1>${rgb("FFFFFF")}</a:lt1></a:clrScheme>`;
  const fills = `<a:bgFillStyleLst><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:bgFillStyleLst>`;
  const bytes = changeFiles(createPptx([["first"]]), {
    "ppt/presentation.xml": (text) => text.replace("<p:sldIdLst>", `<p:sldSz cx="1000" cy="1000"/><p:sldIdLst>`),
    "ppt/slides/slide1.xml": (text) =>
      text
        .replace("<p:spTree>", `${background}<p:spTree>`)
        .replace("</p:spTree>", `${shapes}</p:spTree>`)
        .replace("</p:cSld>", `</p:cSld>${after}`),
    "ppt/slides/_rels/slide1.xml.rels": createRelations({ r1: ["slideLayout", "../slideLayouts/a.xml"] }),
    "ppt/slideLayouts/a.xml": `<p:sldLayout><p:cSld><p:spTree>${layout}</p:spTree></p:cSld></p:sldLayout>`,
    "ppt/slideLayouts/_rels/a.xml.rels": createRelations({ r1: ["slideMaster", "../slideMasters/a.xml"] }),
    "ppt/slideMasters/a.xml": `<p:sldMaster><p:cSld>${master}</p:cSld><p:clrMap bg1="lt1" tx1="dk1"/></p:sldMaster>`,
    "ppt/slideMasters/_rels/a.xml.rels": createRelations({ r1: ["theme", "../theme/a.xml"] }),
    "ppt/theme/a.xml": `<a:theme>${scheme}${fills}</a:theme>`,
  });
  const { pages, problem } = await readDocument(
    { bytes: new Uint8Array(bytes), filename: "a", contentType: "" },
    defaultLimits,
  );
  expect(problem).toBeUndefined();
  return {
    text: pages.flatMap(({ lines }) => lines.map((line) => line.text)).join("|"),
    hidden: pages.flatMap((page) =>
      (page.hidden ?? []).map(({ text, reason }) => [text, reason] as [string, HiddenReason]),
    ),
  };
}

const solid = (color: string): string => `<p:bg><p:bgPr><a:solidFill>${color}</a:solidFill></p:bgPr></p:bg>`;
const reference = `<p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>`;
const seen = { text: "first|white", hidden: [] };
const apart = (reason: HiddenReason, text = "white") => ({ text: "first", hidden: [[text, reason]] });

describe("text on slides is hidden", () => {
  it.each([
    ["smaller than a point", shape(place, none, run("white", `<a:rPr sz="50"/>`)), {}, HiddenReason.TINY],
    ["in no color", shape(place, none, run("white", `<a:rPr><a:noFill/></a:rPr>`)), {}, HiddenReason.INVISIBLE],
    [
      "transparent",
      shape(place, none, run("white", colored(rgb("000000", `<a:alpha val="0"/>`)))),
      {},
      HiddenReason.INVISIBLE,
    ],
    ["white without a background", shape(place, none, white), {}, HiddenReason.COLOR],
    [
      "in the color of the theme's background",
      shape(place, none, run("white", colored(`<a:schemeClr val="bg1"/>`))),
      { master: reference },
      HiddenReason.COLOR,
    ],
    [
      "dark on a dark background",
      shape(place, none, run("white", colored(rgb("101010")))),
      { background: solid(rgb("0A0A0A")) },
      HiddenReason.COLOR,
    ],
    [
      "in the color of its shape",
      shape(place, fill("FFFFFF"), white),
      { background: solid(rgb("000000")) },
      HiddenReason.COLOR,
    ],
    [
      "in the color of a shape below",
      shape(frame(0, 0, 900, 900), fill("FFFFFF")) + shape(place, none, white),
      { background: solid(rgb("000000")) },
      HiddenReason.COLOR,
    ],
    [
      "in the color of a shape of the layout",
      shape(place, none, run("white", colored(rgb("336699")))),
      { layout: shape(frame(0, 0, 900, 900), fill("336699")) },
      HiddenReason.COLOR,
    ],
    [
      "white by the list of its own shape",
      shape(place, none, run("white")).replace(
        "<a:lstStyle/>",
        `<a:lstStyle><a:lvl1pPr><a:defRPr>${fill("FFFFFF")}</a:defRPr></a:lvl1pPr></a:lstStyle>`,
      ),
      {},
      HiddenReason.COLOR,
    ],
    ["outside", shape(frame(-500, 100, 500, 100), none, run("white")), {}, HiddenReason.OUTSIDE],
    [
      "outside in a group",
      `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="2000" y="0"/><a:ext cx="100" cy="100"/><a:chOff x="0" y="0"/><a:chExt cx="1000" cy="1000"/></a:xfrm></p:grpSpPr>${shape(place, none, run("white"))}</p:grpSp>`,
      {},
      HiddenReason.OUTSIDE,
    ],
    [
      "covered by a filled rectangle",
      shape(place, none, run("white")) + shape(frame(0, 0, 900, 900), fill("FFFFFF")),
      {},
      HiddenReason.COVERED,
    ],
    [
      "in a cell of its color",
      `<p:graphicFrame><a:tbl><a:tr><a:tc>${body(white)}<a:tcPr>${fill("FFFFFF")}</a:tcPr></a:tc></a:tr></a:tbl></p:graphicFrame>`,
      {},
      HiddenReason.COLOR,
    ],
  ])("that is %s", async (_, shapes, surroundings, reason) => {
    expect(await read(shapes, surroundings)).toEqual(apart(reason));
  });

  const gradient = `<a:gradFill/>`;
  it.each([
    ["white on a dark shape", shape(place, fill("224466"), white), {}],
    ["white on a dark shape below", shape(frame(0, 0, 900, 900), fill("224466")) + shape(place, none, white), {}],
    [
      "white on a shape that is partly below",
      shape(frame(0, 0, 300, 900), fill("224466")) + shape(place, none, white),
      {},
    ],
    ["white on a picture", `<p:pic><p:spPr>${frame(0, 0, 900, 900)}</p:spPr></p:pic>${shape(place, none, white)}`, {}],
    ["white on a gradient", shape(place, gradient, white), {}],
    [
      "white on the gradient of the background",
      shape(place, none, white),
      { background: `<p:bg><p:bgPr>${gradient}</p:bgPr></p:bg>` },
    ],
    [
      "white on the dark shape of a layout",
      shape(place, none, white),
      { layout: shape(frame(0, 0, 900, 900), fill("224466")) },
    ],
    [
      "white on a placeholder that the layout fills",
      shape("", "", white).replace("</p:nvSpPr>", `<p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>`),
      {
        layout: shape(place, fill("224466")).replace("</p:nvSpPr>", `<p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>`),
      },
    ],
    [
      "white with an outline",
      shape(
        place,
        none,
        run("white", colored(rgb("FFFFFF")).replace("<a:rPr>", `<a:rPr><a:ln>${fill("000000")}</a:ln>`)),
      ),
      {},
    ],
    [
      "white with a shadow",
      shape(place, none, run("white", colored(rgb("FFFFFF"), `<a:effectLst><a:outerShdw/></a:effectLst>`))),
      {},
    ],
    ["white where the place is turned", shape(frame(0, 0, 9, 9, ' rot="5400000"'), none, white), {}],
    [
      "of another brightness than the background",
      shape(place, none, run("white", colored(`<a:schemeClr val="bg1"><a:lumMod val="50000"/></a:schemeClr>`))),
      { master: reference },
    ],
    [
      "in the color that a slide exchanges with that of the background",
      shape(place, none, run("white", colored(`<a:schemeClr val="tx1"/>`))),
      { master: reference, after: `<p:clrMapOvr><a:overrideClrMapping bg1="dk1" tx1="lt1"/></p:clrMapOvr>` },
    ],
    [
      "below a rectangle that appears later",
      shape(place, none, run("white")) + shape(frame(0, 0, 900, 900), fill("FFFFFF")),
      { after: `<p:timing><p:spTgt spid="7"/></p:timing>` },
    ],
    [
      "below a shape that is transparent",
      shape(place, none, run("white")) +
        shape(frame(0, 0, 900, 900), `<a:solidFill>${rgb("FFFFFF", '<a:alpha val="40000"/>')}</a:solidFill>`),
      {},
    ],
  ])("unless it is %s", async (_, shapes, surroundings) => {
    expect(await read(shapes, surroundings)).toEqual(seen);
  });

  it("only in the runs that are, and where models are damaged only if nothing depends on them", async () => {
    const shapes = shape(place, none, run("Total "), run("500.00 ", colored(rgb("FFFFFF"))), run("9 "), run("300.00"));
    expect(await read(shapes)).toEqual({ text: "first|Total 9 300.00", hidden: [["500.00", HiddenReason.COLOR]] });
    expect(await read(shapes, { layout: "<" })).toMatchObject({ text: "first|Total 9 300.00" });
  });
});
