import { addDeclarations, parseDeclarations, readStyleSheet } from "./style-sheet.ts";

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

  it("matches selectors as browsers do, by weight, place and importance", () => {
    const css = `.b{display:none} .a{display:block} p{color:red!important} #x{color:blue}
      nav > p{top:1px} nav p > b{top:2px} main > div p{left:1px}`;
    const find = (...path: readonly string[]) => {
      const elements = path.map((each) => {
        const [name = "", ...classes] = each.split(".");
        return { name, id: name === "i" ? "x" : "", classes: new Set(classes) };
      });
      const declarations = new Map<string, string>();
      for (const matched of readStyleSheet(`<style>${css}</style>`).match(elements))
        addDeclarations(declarations, matched);
      return Object.fromEntries(declarations);
    };
    expect(find("div.a.b")).toEqual({ display: "block" });
    expect(find("i")).toEqual({ color: "blue" });
    expect(find("nav", "p")).toEqual({ color: "red!important", top: "1px" });
    expect(find("nav", "div", "p")).toEqual({ color: "red!important" });
    expect(find("nav", "p", "b")).toEqual({ top: "2px" });
    expect(find("nav", "p", "i", "b")).toEqual({});
    expect(find("main", "div", "main", "div", "p")).toEqual({ color: "red!important", left: "1px" });
    expect(find("main", "nav", "div", "p")).toEqual({ color: "red!important" });
  });

  it.each([
    // To remember all rules for each kind of element would take 150 to 200 MB.
    { kinds: 5_000, of: "names that no rule has", toClasses: (kind: number) => [`n${kind}`] },
    {
      kinds: 4_000,
      of: "combinations of classes",
      toClasses: (kind: number) => [...kind.toString(2)].map((digit, at) => `c${at}${digit}`),
    },
  ])("is matched in little memory for many $of", ({ kinds, toClasses }) => {
    const classes = Array.from({ length: 12 }, (_, at) => `.c${at}0,.c${at}1`);
    const sheet = readStyleSheet(`<style>${classes.join(",")},${"main *,".repeat(4_900)}p{color:red}</style>`);
    const before = process.memoryUsage().heapUsed;
    for (let kind = 0; kind < kinds; kind += 1) {
      const element = { name: "b", id: `n${kind}`, classes: new Set(toClasses(kind)) };
      expect(sheet.match([element]).length).toBe(
        element.classes.has("c01") || element.classes.has("c00") ? element.classes.size : 0,
      );
    }
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024);
  });

  it("is matched in little time, however many rules it has", () => {
    const sheet = readStyleSheet(`<style>${"p,".repeat(90_000)}p{color:red}</style>`);
    const path = [{ name: "p", id: "", classes: new Set<string>() }];
    let matched = 0;
    for (let count = 0; count < 100_000; count += 1) matched += sheet.match(path).length;
    expect(matched).toBe(100_000);
  });
});
