import { concepts, findConcepts } from "./concepts.ts";

const named = (text: string): string[] => findConcepts(text).map(({ id }) => id);

describe("the concept lexicon", () => {
  it("has evidence and a name for every concept, and no id twice", () => {
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
  ])("knows what %s are", (name, concept) => {
    expect(named(name)).toContain(concept);
  });

  it("lets the longer name win", () => {
    expect(named("Agreement")).toEqual(["contract"]);
    expect(named("Non-disclosure agreement")).toEqual(["nda"]);
    expect(named("Purchase order")).toEqual(["purchase-order"]);
  });

  it("names nothing for an unknown type", () => {
    expect(named("Fishing licences")).toEqual([]);
    expect(named("")).toEqual([]);
  });
});
