import { splitWords } from "./text-terms.ts";
import { titleMatch, titleSegments } from "./title.ts";

const match = (text: string, ...names: string[]): number => titleMatch(titleSegments(text), names.map(splitWords));

describe("titles", () => {
  it("takes lines, cells and sentences as segments, at most twenty", () => {
    const segments = titleSegments("Purchase order\tAcme Corp\nDelivery follows. Thanks");
    expect(segments.map(({ words }) => [...words])).toEqual([
      ["purchas", "order"],
      ["acme", "corp"],
      ["delivery", "follow"],
      ["thank"],
    ]);
    expect(titleSegments("line\n".repeat(100))).toHaveLength(20);
  });

  it("is 1 for a document that begins with the name, numbers aside", () => {
    expect(match("CREDIT NOTE 4711\nsome text", "Credit note")).toBe(1);
  });

  it("falls with the position, with other words in the title, and with what is missing of the name", () => {
    const exact = match("Delivery note\nx", "Delivery note");
    expect(match("Acme\nDelivery note\nx", "Delivery note")).toBeLessThan(exact);
    expect(match("Delivery note for the warehouse of Acme", "Delivery note")).toBeLessThan(exact);
    expect(match("Delivery\nx", "Delivery note")).toBeLessThan(exact);
  });

  it("counts common title words little", () => {
    expect(match("Lease agreement", "Franchise agreement")).toBeLessThan(0.1);
  });

  it("is 0 without a name, a title or a word in common", () => {
    expect(match("", "Invoice")).toBe(0);
    expect(match("Invoice", "")).toBe(0);
    expect(match("Invoice", "Receipt")).toBe(0);
  });
});
