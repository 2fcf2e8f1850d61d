import { parseDeclarations } from "./style-sheet.ts";

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
