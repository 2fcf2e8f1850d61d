import { concepts, findConcepts } from "./concepts.ts";

const findIds = (text: string): string[] => findConcepts(text).map(({ id }) => id);

describe("the concept lexicon", () => {
  it("has names and evidence for every concept, and unique IDs", () => {
    expect(new Set(concepts.map(({ id }) => id)).size).toBe(concepts.length);
    for (const { evidence, names } of concepts) {
      expect(evidence.size).toBeGreaterThan(5);
      expect(names.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ["Invoices", "invoice"],
    ["Eingangsrechnungen", "invoice"],
    ["Factures fournisseurs", "invoice"],
    ["Kassenbelege", "receipt"],
    ["Bons de livraison", "delivery-note"],
    ["Arbeitsverträge", "employment"],
    ["Bulletins de paie", "payslip"],
    ["NDAs", "nda"],
    ["Geheimhaltungsvereinbarungen", "nda"],
    ["Kontoauszüge", "bank-statement"],
    ["W-2", "tax-form"],
    ["Scientific papers", "scientific-paper"],
  ])("recognizes %s", (name, concept) => {
    expect(findIds(name)).toContain(concept);
  });

  it("prefers the longer name", () => {
    expect(findIds("Agreement")).toEqual(["contract"]);
    expect(findIds("Non-disclosure agreement")).toEqual(["nda"]);
    expect(findIds("Purchase order")).toEqual(["purchase-order"]);
  });

  it("finds no concept for an unknown type", () => {
    expect(findIds("Fishing licences")).toEqual([]);
    expect(findIds("")).toEqual([]);
  });
});
