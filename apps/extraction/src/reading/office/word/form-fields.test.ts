import { createDocx } from "../../../testing/office.ts";
import { readDocument } from "../../document.ts";
import { defaultLimits } from "../../limits.ts";

async function read(content: string): Promise<string[]> {
  const bytes = new Uint8Array(createDocx([], { body: `<w:p>${content}</w:p>` }));
  const { pages, problem } = await readDocument({ bytes, filename: "a", contentType: "" }, defaultLimits);
  expect(problem).toBeUndefined();
  return pages.flatMap(({ lines }) => lines.map(({ text }) => text));
}

const run = (content: string): string => `<w:r>${content}</w:r>`;
const field = (data: string, code: string): string =>
  `${run(`<w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar>`)}${run(`<w:instrText>${code}</w:instrText>`)}${run('<w:fldChar w:fldCharType="end"/>')}`;
const text = (content: string): string => run(`<w:t xml:space="preserve">${content}</w:t>`);

describe("the fields of forms in docx", () => {
  it("are read as they are displayed", async () => {
    const box = (state: string): string => field(`<w:checkBox><w:sizeAuto/>${state}</w:checkBox>`, "FORMCHECKBOX");
    const boxes = [
      box('<w:default w:val="0"/><w:checked/>'),
      box('<w:default w:val="1"/>'),
      box('<w:default w:val="1"/><w:checked w:val="0"/>'),
      box(""),
    ];
    expect(await read(boxes.join(text(" ")))).toEqual(["☒ ☒ ☐ ☐"]);
    const entries = `<w:listEntry w:val="monthly"/><w:listEntry w:val="yearly"/>`;
    const list = (state: string): string => field(`<w:ddList>${state}${entries}</w:ddList>`, "FORMDROPDOWN");
    const lists = [list('<w:result w:val="1"/>'), list(""), list('<w:result w:val="7"/>')];
    expect(await read(text("Term: ") + lists.join(text(" ")))).toEqual(["Term: yearly monthly"]);
  });

  it("may be symbols", async () => {
    const symbol = (font: string, code: string): string => run(`<w:sym w:font="${font}" w:char="${code}"/>`);
    const shown = symbol("Wingdings", "F0FE") + text(" Yes ") + symbol("Wingdings", "00A8") + text(" No");
    expect(await read(shown)).toEqual(["☑ Yes ☐ No"]);
    expect(await read(text("20 ") + symbol("Symbol", "F0B0") + symbol("Arial", "00A7"))).toEqual(["20 °§"]);
    expect(
      await read(text("x") + symbol("Wingdings", "F04A") + symbol("Other", "F041") + symbol("Symbol", "x")),
    ).toEqual(["x"]);
  });
});
