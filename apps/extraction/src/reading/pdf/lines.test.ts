import { groupRunsIntoLines } from "./lines.ts";
import type { Run } from "./words.ts";

const page = { width: 600, height: 800 };

function run(text: string, x: number, y: number, more: Partial<Run> = {}): Run {
  return { text, x, y, width: text.length * 5, height: 10, angle: 0, ...more };
}

function getTexts(runs: readonly Run[]): string[] {
  return groupRunsIntoLines(runs, page).map((line) => line.text);
}

describe("lines of a page", () => {
  it("join kerned runs, and separate words at gaps and cells at wide gaps", () => {
    expect(
      getTexts([run("Ver", 10, 100), run("kaeufer", 26.5, 100), run("Nr.", 66, 100), run("4711", 100, 100)]),
    ).toEqual(["Verkaeufer Nr.\t4711"]);
  });

  it("are ordered from top to bottom, whatever the drawing order, and tolerate small vertical shifts", () => {
    expect(
      getTexts([run("third", 10, 130), run("first", 10, 100), run("right", 300, 104), run("second", 10, 112)]),
    ).toEqual(["first\tright", "second", "third"]);
  });

  it("may have hundreds of thousands of words", () => {
    const [line] = groupRunsIntoLines([run("a ".repeat(200_000), 10, 100)], page);
    expect(line?.words.length).toBe(200_000);
  });

  it("include superscripts", () => {
    expect(getTexts([run("1", 10, 100), run("st", 15, 96.6, { height: 6, width: 5 }), run("day", 23, 100)])).toEqual([
      "1st day",
    ]);
  });

  it("contain text that is drawn twice to look bold only once, but keep double letters", () => {
    expect(getTexts([run("Total", 10, 100), run("Total", 10.4, 100)])).toEqual(["Total"]);
    expect(getTexts([run("l", 10, 100, { width: 2.2 }), run("l", 12.2, 100, { width: 2.2 })])).toEqual(["ll"]);
  });

  it("include spaces that are separate runs", () => {
    expect(getTexts([run("one", 10, 100), run(" ", 25, 100, { width: 1 }), run("two", 26, 100)])).toEqual(["one two"]);
  });

  it("have boxes in fractions of the page size", () => {
    const [line] = groupRunsIntoLines([run("aaaa aaaa", 60, 400, { width: 90 })], page);
    expect(line?.words.map((word) => word.offset)).toEqual([0, 5]);
    expect(line?.words[0]?.box).toMatchObject({ x: 0.1, y: 0.49, height: 0.0125 });
    expect(line?.words[1]?.box).toMatchObject({ y: 0.49 });
    expect(line?.box?.width).toBeCloseTo(90 / 600, 4);
  });

  it("group rotated and skewed text along its own direction, after the other text", () => {
    const up = [
      run("filed", 20, 700, { angle: -90 }),
      run("2020", 20, 670, { angle: -90 }),
      run("copy", 35, 700, { angle: -90 }),
    ];
    const lines = groupRunsIntoLines([...up, run("the text of the page is longer", 100, 100)], page);
    expect(lines.map((line) => line.text)).toEqual(["the text of the page is longer", "filed 2020", "copy"]);
    const box = lines[1]!.words[0]!.box!;
    expect(box.height * page.height).toBeCloseTo(25, 1);
    expect(box.width * page.width).toBeCloseTo(10, 1);
    expect((box.y + box.height) * page.height).toBeCloseTo(700, 1);
    expect(getTexts([run("askew", 10, 100, { angle: 2 }), run("scan", 40, 101, { angle: 2 })])).toEqual(["askew scan"]);
  });

  it("have boxes within the page, even for text beyond its edge and for a page without size", () => {
    for (const size of [page, { width: 0, height: 0 }]) {
      const box = groupRunsIntoLines([run("beyond", 590, 805)], size)[0]!.box!;
      expect(box.x + box.width).toBeLessThanOrEqual(1);
      expect(box.y + box.height).toBeLessThanOrEqual(1);
    }
  });

  describe("of text that is written from right to left", () => {
    const rtl = { isRightToLeft: true };

    it("are in the order in which they are read, with the words at their places", () => {
      const [line] = groupRunsIntoLines([run("חשבונית מס 4711", 400, 100, rtl)], page);
      expect(line?.text).toBe("חשבונית מס 4711");
      const [first, , last] = line?.words.map(({ box }) => box?.x ?? 0) ?? [];
      expect(last).toBeCloseTo(400 / page.width, 2);
      expect(first).toBeGreaterThan(last!);
    });

    it("keep what is written from left to right, and numbers, in their own order", () => {
      const runs = [run("Acme Ltd 5", 300, 100), run("חברת", 360, 100, rtl), run("1234", 270, 100)];
      const others = [run("שם החברה הוא", 300, 80, rtl), run("No. 5", 300, 120)];
      expect(getTexts([...runs, ...others])).toEqual(["שם החברה הוא", "חברת Acme Ltd 5 1234", "No. 5"]);
      const order = [run("The order for", 10, 100), run("שלום עולם", 80, 100, rtl), run("4711", 130, 100)];
      expect(getTexts(order)).toEqual(["The order for שלום עולם 4711"]);
      expect(getTexts([run("The name of ", 10, 100), run("דוד", 95, 100, rtl), run("כהן", 75, 100, rtl)])).toEqual([
        "The name of דוד כהן",
      ]);
    });

    it("begin with the cell on the right, also where all cells are numbers", () => {
      const row = (cells: readonly string[], y: number): Run[] =>
        cells.map((cell, index) => run(cell, 500 - index * 150, y, /\p{L}/u.test(cell) ? rtl : {}));
      const rows = [
        ...row(["פריט", "כמות", "סכום"], 100),
        ...row(["עט כחול", "2", "12.00"], 120),
        ...row(["", "2", "12.00"], 140),
      ];
      expect(getTexts(rows)).toEqual(["פריט\tכמות\tסכום", "עט כחול\t2\t12.00", "2\t12.00"]);
    });

    it("keep the order of lines and rows that are written from left to right", () => {
      const mixed = [run("A line with", 10, 100), run("שלום", 70, 100, rtl), run("within it", 95, 100)];
      const row = [run("2.00", 10, 120), run("1", 160, 120), run("USB cable", 310, 120)];
      const label = [run("Number", 10, 140), run("4711", 310, 140)];
      const before = run("שם החברה הוא חברה גדולה מאוד", 300, 80, rtl);
      const after = run("שם החברה הוא חברה גדולה מאוד", 300, 160, rtl);
      expect(getTexts([before, after, ...mixed, ...row, ...label])).toEqual([
        "שם החברה הוא חברה גדולה מאוד",
        "A line with שלום within it",
        "USB cable\t1\t2.00",
        "Number\t4711",
        "שם החברה הוא חברה גדולה מאוד",
      ]);
    });

    it("have the letters of Arabic, not their forms, and a space that reaches into a word in front of it", () => {
      const runs = [
        run("4711", 10, 100),
        run(" ", 30, 100, { width: 7 }),
        run("\ufee2", 35, 100, rtl),
        run("\ufed7\ufead", 40, 100, rtl),
      ];
      expect(getTexts(runs)).toEqual(["\u0642\u0631\u0645 4711"]);
      expect(getTexts([run("\ufefb", 10, 100, rtl)])).toEqual(["\u0644\u0627"]);
    });

    it("join the parts of words, also if each letter is a run", () => {
      const letters = [..."שלום"].map((letter, index) => run(letter, 515 - index * 5, 100, rtl));
      expect(getTexts(letters)).toEqual(["שלום"]);
    });
  });
});
