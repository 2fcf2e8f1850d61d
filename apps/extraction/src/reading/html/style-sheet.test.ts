import { parseDeclarations, readStyleSheet } from "./style-sheet.ts";

describe("declarations", () => {
  it("have names in lower case, and values with functions", () => {
    const source = "COLOR : Red; background:url(data:image/png;base64,AA);--x:1; broken; display:none !important";
    expect([...parseDeclarations(source)]).toEqual([
      ["color", "red"],
      ["background", "url(data:image/png;base64,aa)"],
      ["--x", "1"],
      ["display", "none !important"],
    ]);
  });

  it.each(["x", "a:(", "a ", "("])("are read of long sources in little time: %j", (part) => {
    const source = `color:red;${part.repeat(1_000_000)};display:none`;
    expect(Object.fromEntries(parseDeclarations(source))).toMatchObject({ color: "red", display: "none" });
  });
});

describe("the style sheet of a document", () => {
  it("is found in little time in source with many tags that do not end", () => {
    const sheet = readStyleSheet(`${"<style".repeat(1_000_000)}<p></p><style>p{color:red}`);
    expect(sheet.match([{ name: "p", id: "", classes: new Set() }])).toEqual([new Map([["color", "red"]])]);
  });
});
