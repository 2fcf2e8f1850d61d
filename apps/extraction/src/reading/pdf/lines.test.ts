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
});
