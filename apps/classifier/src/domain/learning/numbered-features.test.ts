import * as fc from "fast-check";
import {
  countTerms,
  extendTerms,
  HEAD_CHARACTERS,
  MAX_SCORED_CHARACTERS,
  toDocumentTerms,
} from "../scoring/text-terms.ts";
import { toFeatures } from "./features.ts";
import { createFeatureNumbering } from "./numbered-features.ts";

describe("numbered features", () => {
  const words = fc.array(fc.constantFrom("invoice", "Invoices", "tender", "to:", "7", "Größe", "order"), {
    minLength: 1,
    maxLength: 30,
  });
  // The end of the head cuts a word, and words continue after the part that is scored.
  const text = fc
    .tuple(words, words, words)
    .map(([head, middle, rest]) =>
      [
        head.join(" ").padStart(HEAD_CHARACTERS + 3),
        middle.join(" ").padStart(MAX_SCORED_CHARACTERS - HEAD_CHARACTERS - 4),
        rest.join(" "),
      ].join(" "),
    );

  it("are those of documents as they are scored, in the same order", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), fc.nat(150), (texts, characters) => {
        const numbering = createFeatureNumbering();
        const end = MAX_SCORED_CHARACTERS + characters;
        const documents = texts.map((each) => toDocumentTerms(each, { asWritten: false }));
        const scored = documents.map(numbering.number);
        const extended = scored.map((features, place) =>
          numbering.extend(features, countTerms(texts[place]!.slice(MAX_SCORED_CHARACTERS, end))),
        );
        const toNamed = ({ numbers, frequencies }: (typeof scored)[number]) => ({
          names: Array.from(numbers, (number) => numbering.names[number]),
          weights: Float64Array.from(frequencies, (frequency) => 1 + Math.log(Math.max(1, frequency))),
        });
        expect(scored.map(toNamed)).toEqual(documents.map(toFeatures));
        expect(extended.map(toNamed)).toEqual(
          texts.map((each) => toFeatures(extendTerms(toDocumentTerms(each), each, end))),
        );
        expect(new Set(numbering.names).size).toBe(numbering.names.length);
      }),
      { numRuns: 100 },
    );
  });
});
