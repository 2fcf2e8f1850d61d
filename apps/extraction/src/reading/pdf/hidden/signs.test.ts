import { deflateSync } from "node:zlib";
import { joinObjects } from "../../../testing/pdf.ts";
import { readDocument } from "../../document.ts";
import { defaultLimits } from "../../limits.ts";
import { hasSigns } from "./signs.ts";

describe("signs of hidden text", () => {
  it("are looked for in little time if the size of a page is a long number", () => {
    const page = `1 0 obj << /Type /Page /MediaBox [${"1".repeat(20_000)}x] >> endobj`;
    expect(hasSigns(Buffer.from(`%PDF-1.4\n${page}\n`))).toBe(false);
  });

  it("are looked for in files with hundreds of thousands of pages", () => {
    expect(hasSigns(Buffer.from(`%PDF-1.4\n${"/MediaBox [0 0 600 800] ".repeat(200_000)}`))).toBe(false);
  });

  const fonts = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>";
  const text = (words: string, y = 700): string => `BT /F1 12 Tf 50 ${y} Td (${words}) Tj ET\n`;
  const seen = text("seen", 750);
  const toStream = (content: string, entries = ""): string =>
    `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`;
  const toForm = (content: string, box = "0 0 600 800"): string =>
    toStream(content, `/Type /XObject /Subtype /Form /BBox [${box}] /Resources << ${fonts} >>`);
  const packed = deflateSync(`${seen} 1 g ${text("SECRET")}`).toString("latin1");

  /** Creates a PDF of one page. Object 4 is its content. */
  const toPdf = (
    content: string,
    { resources = "", contents = "4 0 R", catalog = "", more = [] as string[] } = {},
  ): Buffer =>
    joinObjects([
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${contents} /Resources << ${fonts} ${resources} >> >>`,
      content,
      ...more,
    ]);
  const toSpace = (space: string): { resources: string } => ({ resources: `/ColorSpace << /S ${space} >>` });
  const toState = (entries: string, more: string[] = []) => ({
    resources: `/ExtGState << /G << ${entries} >> >>`,
    more,
  });
  const useForm = (form: string) => ({ resources: "/XObject << /X 5 0 R >>", more: [form] });

  it.each([
    ["a color beyond white", toPdf(toStream(`${seen} 2 g ${text("SECRET")}`))],
    ["a number that readers correct", toPdf(toStream(`${seen} 1-0 g ${text("SECRET")}`))],
    [
      "more saved states than are followed",
      toPdf(toStream(`${seen} ${"q ".repeat(10_001)} 1 g q 0 g Q ${text("SECRET")}`)),
    ],
    [
      "the color space Lab",
      toPdf(toStream(`${seen} /S cs 100 0 0 scn ${text("SECRET")}`), toSpace("[/Lab << /WhitePoint [0.95 1 1.09] >>]")),
    ],
    [
      "a separation",
      toPdf(
        toStream(`${seen} /S cs 0.5 scn ${text("SECRET")}`),
        toSpace("[/Separation /X /DeviceGray << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [2] /N 1 /Range [0 1] >>]"),
      ),
    ],
    [
      "an indexed color",
      toPdf(toStream(`${seen} /S cs 5 scn ${text("SECRET")}`), toSpace("[/Indexed /DeviceGray 5 <0000000000FF>]")),
    ],
    ["a clip elsewhere", toPdf(toStream(`${seen} 0 0 10 10 re W n ${text("SECRET")}`))],
    ["a gap in a text", toPdf(toStream(`${seen} BT /F1 12 Tf 50 700 Td [(x) -90000 (SECRET)] TJ ET`))],
    [
      "a long text before it",
      toPdf(toStream(`${seen} BT /F1 12 Tf 50 700 Td (${"word ".repeat(40)}) Tj (SECRET) Tj ET`)),
    ],
    ["wide spaces", toPdf(toStream(`${seen} BT /F1 12 Tf 1000 Tw 50 700 Td ( SECRET) Tj ET`))],
    ["no width", toPdf(toStream(`${seen} 0 Tz ${text("SECRET")}`))],
    [
      "an opacity elsewhere in the file",
      toPdf(toStream(`${seen} /G gs ${text("SECRET")}`), toState("/ca 5 0 R", ["0.01"])),
    ],
    [
      "a gray that is almost transparent",
      toPdf(toStream(`${seen} /G gs 0.5 g ${text("SECRET")}`), toState("/ca 0.12")),
    ],
    ["a name with escaped letters", toPdf(toStream(`${seen} /G gs ${text("SECRET")}`), toState("/c#61 0.01"))],
    ["a form in the color of the page", toPdf(toStream(`${seen} 1 g /X Do`), useForm(toForm(text("SECRET"))))],
    ["a form that is cut off", toPdf(toStream(`${seen} /X Do`), useForm(toForm(text("SECRET"), "0 0 9 9")))],
    [
      "a list of contents elsewhere in the file",
      toPdf(toStream(`${seen} 1 g`), { contents: "5 0 R", more: ["[4 0 R 6 0 R]", toStream(text("SECRET"))] }),
    ],
    ["a comment before the stream", toPdf(toStream(`${seen} 1 g ${text("SECRET")}`).replace(">>", ">> %c"))],
    ["a short name of the filter", toPdf(toStream(packed, "/F /FlateDecode"))],
    ["a comment before the filter", toPdf(toStream(packed, "/Filter%\n/FlateDecode"))],
    ["the filter of something else", toPdf(toStream(packed, "/A << /Filter /DCTDecode >> /Filter /FlateDecode"))],
    ["text without its usual beginning", toPdf(toStream(`${seen} /F1 12 Tf 1 g 1 0 0 1 50 700 Tm (SECRET) Tj`))],
    ["a name behind that beginning", toPdf(toStream(`${seen} 1 g ${text("SECRET").replace("BT ", "BT")}`))],
    [
      "a layer with an escaped name",
      toPdf(toStream(`${seen} /OC /O BDC ${text("SECRET")} EMC`), {
        catalog: "/OC#50roperties << /OCGs [5 0 R] /D << /OFF [5 0 R] >> >>",
        resources: "/Properties << /O 5 0 R >>",
        more: ["<< /Type /OCG /Name (x) >>"],
      }),
    ],
  ])("are found for text that is hidden by %s", async (_, pdf) => {
    const source = { bytes: new Uint8Array(pdf), filename: "a.pdf", contentType: "" };
    const { pages } = await readDocument(source, defaultLimits);
    const lines = pages.flatMap((page) => page.lines.map((line) => line.text));
    expect(lines).toContain("seen");
    expect(lines.join(" ")).not.toContain("SECRET");
    expect(pages.flatMap((page) => page.hidden ?? [])).toMatchObject([{ text: "SECRET" }]);
  });

  it("are not found in a page that only clips, uses opaque states and has pictures", () => {
    const content = `q 40 740 300 40 re W n ${seen} Q /G gs q 1 0 0 1 0 0 cm /X Do Q`;
    const picture = toStream(
      "x",
      "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray",
    );
    const resources = "/ExtGState << /G << /ca 1 /CA 1.0 >> >> /XObject << /X 5 0 R >>";
    expect(hasSigns(toPdf(toStream(content), { resources, more: [picture] }))).toBe(false);
  });
});
