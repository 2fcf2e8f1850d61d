import type { RecognizedCharacter } from "./characters.ts";
import { findSpaces, groupIntoWords, hasSpaces } from "./spacing.ts";

/** Draws a strip in which each character is a block of 6 of 20 columns; a space and `_` have no ink, and only the space is recognized. */
function createLine(text: string) {
  const [height, columns] = [48, 20];
  const width = text.length * columns;
  const pixels = new Uint8Array(width * height).fill(255);
  for (const [index, character] of [...text].entries()) {
    if (/[ _]/.test(character)) continue;
    for (let y = 0; y < height; y++)
      pixels.fill(0, y * width + index * columns + 7, y * width + (index + 1) * columns - 7);
  }
  const characters = [...text].flatMap((character, index): RecognizedCharacter[] =>
    character === "_" ? [] : [{ text: character, confidence: 0.9, position: (index + 0.5) / text.length }],
  );
  return findSpaces(characters, { width, height, pixels });
}

function group(...texts: readonly string[]): string[] {
  const lines = texts.map(createLine);
  const writesSpaces = hasSpaces(lines);
  return lines.map((line) =>
    groupIntoWords(line, writesSpaces)
      .map(({ text }) => text)
      .join(" "),
  );
}

describe("the words of a line", () => {
  it("are separated by wide gaps if the model leaves spaces out", () => {
    expect(group("total_due", "paid_in_full on")).toEqual(["total due", "paid in full on"]);
  });

  it("are separated by the spaces of a model that writes them", () => {
    expect(group("total due", "81_100 Johor", "tel no")).toEqual(["total due", "81100 Johor", "tel no"]);
  });

  it("are also separated beside marks where such a model leaves a space out", () => {
    expect(group("total due", "S.H._MOTOR (M)_SDN._BHD", "pens &books", "1_000._50 M_M")).toEqual([
      "total due",
      "S.H. MOTOR (M) SDN. BHD",
      "pens & books",
      "1000.50 MM",
    ]);
  });
});
