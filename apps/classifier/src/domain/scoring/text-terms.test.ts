import { fold } from "@switchyard/text";
import {
  extendTerms,
  toDocumentTerms,
  HEAD_CHARACTERS,
  MAX_SCORED_CHARACTERS,
  stem,
  extractTerms,
  splitWords,
} from "./text-terms.ts";

describe("text terms", () => {
  it("fold accents, ligatures and case", () => {
    expect(fold("Reçu, Straße, Œuvre, Prämie")).toBe("recu, strasse, oeuvre, pramie");
  });

  it.each([
    ["invoices", "invoice"],
    ["parties", "party"],
    ["disclosed", "disclosing"],
    ["Rechnungen", "Rechnung"],
    ["factures", "facture"],
  ])("have the same stem for %s and %s", (one, other) => {
    expect(stem(fold(one))).toBe(stem(fold(other)));
  });

  it.each(["address", "status", "gas", "tax"])("do not strip the end of %s", (word) => {
    expect(stem(word)).toBe(word);
  });

  it("leave out function words of three languages, but not labels of fields", () => {
    expect(splitWords("The offer of the day, das Angebot und le prix")).toEqual(["offer", "day", "angebot", "prix"]);
    expect(splitWords("From: me\nto: you")).toEqual(["from:", "to:"]);
  });

  it("contain the names of forms as one word", () => {
    expect(splitWords("Form W-2 and I-9")).toEqual(["form", "w2", "i9"]);
  });

  it("contain pairs of words across function words", () => {
    expect(extractTerms("place of birth")).toEqual(["plac", "birth", "plac birth"]);
  });

  it("leave out words longer than any real one", () => {
    expect(splitWords(`short ${"x".repeat(41)} word`)).toEqual(["short", "word"]);
  });

  it("count the head three times, and nothing after the scored part", () => {
    const filler = " ".repeat(HEAD_CHARACTERS);
    const { counts, length } = toDocumentTerms(`contract${filler}contract${" ".repeat(MAX_SCORED_CHARACTERS)}contract`);
    expect(counts.get("contract")).toBe(4);
    expect(length).toBe(4);
  });

  it("are extended by those that follow the scored part", () => {
    const text = `contract${" ".repeat(MAX_SCORED_CHARACTERS)}contract order${" ".repeat(1_000)}tender`;
    const document = toDocumentTerms(text);
    const extended = extendTerms(document, text, MAX_SCORED_CHARACTERS + 500);
    expect([...extended.counts]).toEqual([
      ["contract", 4],
      ["order", 1],
      ["contract order", 1],
    ]);
    expect([extended.length, extended.head, document.counts.get("contract")]).toEqual([5, document.head, 3]);
    expect(extendTerms(toDocumentTerms("contract"), "contract", 8_000)).toEqual(toDocumentTerms("contract"));
  });

  it("include the share of numbers, which is 0 for empty text", () => {
    expect(toDocumentTerms("total 10.00").numberShare).toBeCloseTo(2 / 3);
    expect(toDocumentTerms("").numberShare).toBe(0);
  });

  it("include terms as written in the text", () => {
    expect(toDocumentTerms("Invoices").shown.get("invoic")).toBe("invoices");
    const text = `Invoices of ${"x ".repeat(MAX_SCORED_CHARACTERS)} late invoices`;
    expect(toDocumentTerms(text, { asWritten: false })).toEqual({ ...toDocumentTerms(text), shown: new Map() });
  });
});
