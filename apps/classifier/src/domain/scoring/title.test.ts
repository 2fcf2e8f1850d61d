import { splitWords } from "./text-terms.ts";
import { resolveReferences, scoreTitle, splitTitleSegments, toTitleName } from "./title.ts";

const match = (text: string, ...names: string[]): number =>
  scoreTitle(
    splitTitleSegments(text),
    names.map((name) => toTitleName(splitWords(name))),
  );

describe("titles", () => {
  it("have lines, cells and sentences as segments, at most twenty", () => {
    const segments = splitTitleSegments("Purchase order\tAcme Corp\nDelivery follows. Thanks");
    expect(segments.map(({ words }) => [...words])).toEqual([
      ["purchas", "order"],
      ["acme", "corp"],
      ["delivery", "follow"],
      ["thank"],
    ]);
    expect(splitTitleSegments("line\n".repeat(100))).toHaveLength(20);
  });

  it("score 1 if the document begins with the name, ignoring numbers", () => {
    expect(match("CREDIT NOTE 4711\nsome text", "Credit note")).toBe(1);
  });

  it("score less for later positions, for other words in the title, and for missing words of the name", () => {
    const exact = match("Delivery note\nx", "Delivery note");
    expect(match("Acme\nDelivery note\nx", "Delivery note")).toBeLessThan(exact);
    expect(match("Delivery note for the warehouse of Acme", "Delivery note")).toBeLessThan(exact);
    expect(match("Delivery\nx", "Delivery note")).toBeLessThan(exact);
  });

  it("give little weight to common title words", () => {
    expect(match("Lease agreement", "Franchise agreement")).toBeLessThan(0.1);
  });

  it("score 0 without a name, a title or a common word", () => {
    expect(match("", "Invoice")).toBe(0);
    expect(match("Invoice", "")).toBe(0);
    expect(match("Invoice", "Receipt")).toBe(0);
  });

  it.each(["Amendment to the lease agreement", "Nachtrag zum Mietvertrag", "Avenant au bail"])(
    "separate what a document is from what it refers to: %s",
    (title) => {
      const [segment] = splitTitleSegments(title);
      const [name = ""] = segment?.lead?.words ?? [];
      expect(resolveReferences([segment!], new Set([name]))[0]?.words).toEqual(new Set([name]));
      expect(resolveReferences([segment!], new Set(["lease"]))[0]).toBe(segment);
    },
  );
});
