import { createFeatureNumbering } from "./numbered-features.ts";
import { toTextVectors } from "./text-vectors.ts";

describe("the vectors of texts", () => {
  const numbering = createFeatureNumbering();
  const toFeatures = (counts: Record<string, number>) =>
    numbering.number({ counts: new Map(Object.entries(counts)), head: new Map() });
  // These are numbered first, and are in none of the texts.
  toFeatures({ unused: 1, other: 1 });
  const texts = [toFeatures({ total: 1, invoice: 3 }), toFeatures({ total: 1, order: 1 }), toFeatures({ order: 2 })];
  const { features, rarities, unseen, vectors } = toTextVectors(texts, numbering.names.length, [0, 1, 1], 3);
  const names = Array.from(features, (number) => numbering.names[number]);

  it("have the features of the texts in the order in which they appear", () => {
    expect(names).toEqual(["total", "invoice", "order"]);
    expect(vectors.map(({ indexes }) => [...indexes])).toEqual([[0, 1], [0, 2], [2]]);
  });

  it("weigh features by how rare they are where each class counts equally, and have length 1", () => {
    // With three classes of the typical 1.5 texts, a text of the class with one counts 1.5 and one of the class with two .75.
    const rarity = (holders: number) => Math.log(1 + (4.5 - holders + 0.5) / (holders + 0.5));
    [2.25, 1.5, 1.5].forEach((holders, index) => expect(rarities[index]).toBeCloseTo(rarity(holders), 12));
    expect(unseen).toBeCloseTo(rarity(0), 12);
    for (const { values } of vectors) expect(Math.hypot(...values)).toBeCloseTo(1, 12);
    const [total, invoice] = vectors[0]!.values;
    expect(invoice! / total!).toBeCloseTo(((1 + Math.log(3)) * rarities[1]!) / rarities[0]!, 12);
  });
});
