import { fold } from "@switchyard/text";
import { documentTerms, HEAD_CHARACTERS, SCORED_CHARACTERS, stem, extractTerms, splitWords } from "./text-terms.ts";

describe("text terms", () => {
  it("folds accents, ligatures and case", () => {
    expect(fold("Reçu, Straße, Œuvre, Prämie")).toBe("recu, strasse, oeuvre, pramie");
  });

  it.each([
    ["invoices", "invoice"],
    ["parties", "party"],
    ["disclosed", "disclosing"],
    ["Rechnungen", "Rechnung"],
    ["factures", "facture"],
  ])("brings %s and %s together", (one, other) => {
    expect(stem(fold(one))).toBe(stem(fold(other)));
  });

  it.each(["address", "status", "gas", "tax"])("leaves the end of %s alone", (word) => {
    expect(stem(word)).toBe(word);
  });

  it("drops function words of three languages, but keeps the labels of fields", () => {
    expect(splitWords("The offer of the day, das Angebot und le prix")).toEqual(["offer", "day", "angebot", "prix"]);
    expect(splitWords("From: me\nto: you")).toEqual(["from:", "to:"]);
  });

  it("keeps the names of forms together", () => {
    expect(splitWords("Form W-2 and I-9")).toEqual(["form", "w2", "i9"]);
  });

  it("pairs words across function words", () => {
    expect(extractTerms("place of birth")).toEqual(["plac", "birth", "plac birth"]);
  });

  it("drops a word that is longer than any real one", () => {
    expect(splitWords(`short ${"x".repeat(41)} word`)).toEqual(["short", "word"]);
  });

  it("counts the head three times and nothing past the scored part", () => {
    const filler = " ".repeat(HEAD_CHARACTERS);
    const { counts, length } = documentTerms(`contract${filler}contract${" ".repeat(SCORED_CHARACTERS)}contract`);
    expect(counts.get("contract")).toBe(4);
    expect(length).toBe(4);
  });

  it("knows the share of numbers, and that an empty text has none", () => {
    expect(documentTerms("total 10.00").numberShare).toBeCloseTo(2 / 3);
    expect(documentTerms("").numberShare).toBe(0);
  });

  it("shows a term as it stands in the text", () => {
    expect(documentTerms("Invoices").shown.get("invoic")).toBe("invoices");
  });
});
