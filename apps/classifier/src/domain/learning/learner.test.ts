import * as fc from "fast-check";
import { createKindText, createLabeledTexts } from "../../testing/labeled-texts.ts";
import { createRouteScorer } from "../scoring/scorer.ts";
import type { RouteProfile } from "../scoring/scorer.ts";
import type { LabeledText } from "./labeled-text.ts";
import { learn } from "./learner.ts";
import { createLearnedScorer } from "./learned-scorer.ts";

const seed = Date.now() % 1_000_000;
const [a, b, c] = ["Type A", "Type B", "Type C"].map((name): RouteProfile => ({
  id: name,
  name,
  description: "",
  columnLabels: [],
  examples: [],
}));
const routes = [a!, b!, c!];
const cold = createRouteScorer(routes);

function scoreWith(texts: readonly LabeledText[], text: string) {
  const state = learn(texts, routes, cold);
  return state === undefined ? cold(text) : createLearnedScorer(state)(routes, cold, text);
}

function getBest(texts: readonly LabeledText[], text: string): string | undefined {
  return scoreWith(texts, text).toSorted((left, right) => right.score - left.score)[0]?.routeId;
}

describe("the learner", () => {
  const labeled = createLabeledTexts({ weather: "Type A", baking: "Type B" }, 5);

  it("routes documents by what they have in common with labeled texts", () => {
    expect(getBest(labeled, createKindText("weather", 90))).toBe("Type A");
    expect(getBest(labeled, createKindText("baking", 90))).toBe("Type B");
    expect(scoreWith(labeled, createKindText("weather", 90))[0]?.score).toBeGreaterThan(0.5);
  });

  it("is surer of decisions that were right when texts were left out, if all types have texts", () => {
    const both = [a!, b!];
    const divisor = (texts: readonly LabeledText[], some: readonly RouteProfile[]) =>
      learn(texts, some, createRouteScorer(some))!.doubtDivisor;
    expect(divisor(labeled, both)).toBeGreaterThan(2);
    const mixed = labeled.map((text, index) => ({ ...text, routeId: both[Math.floor(index / 2) % 2]!.id }));
    expect(divisor(mixed, both)).toBeLessThan(divisor(labeled, both));
    expect(divisor(labeled, routes)).toBe(1);
    expect(divisor(createLabeledTexts({ weather: "Type A", baking: "Type B" }, 1), both)).toBe(1);
    // Routes of one group are of one type.
    const twins = [{ ...a!, group: "model" }, b!, { ...c!, group: "model" }];
    expect(divisor(labeled, twins)).toBeGreaterThan(2);
  });

  it("gives the same scores without evidence", () => {
    const state = learn(labeled, routes, cold)!;
    const [withEvidence, without] = [true, false].map((explain) =>
      createLearnedScorer(state)(routes, cold, createKindText("baking", 90), { explain }),
    );
    expect(without!.map(({ evidence }) => evidence)).toEqual([[], [], []]);
    expect(withEvidence![1]!.evidence).not.toEqual([]);
    const toScores = (scores: typeof without) => scores!.map(({ score, strength }) => [score, strength]);
    expect(toScores(without)).toEqual(toScores(withEvidence));
  });

  it("recognizes documents of unknown kinds, and those that belong to no route", () => {
    const unlike = scoreWith(labeled, createKindText("chess", 90)).map(({ score }) => score);
    expect(Math.max(...unlike)).toBeLessThan(0.3);
    const withOutside = [...labeled, ...createLabeledTexts({ chess: null }, 5)];
    const outside = scoreWith(withOutside, createKindText("chess", 90)).map(({ score }) => score);
    expect(Math.max(...outside)).toBeLessThan(0.3);
    expect(getBest(withOutside, createKindText("baking", 91))).toBe("Type B");
  });

  it("refuses documents of an unknown kind that share most words with the known ones", () => {
    const write = (own: string, number: number) => `${own} ${own} ${own} ${createKindText("weather", number, 60)}`;
    const kinds = [a!, b!];
    const siblings = ["rook pawn", "yeast crust"].flatMap((own, type) =>
      Array.from({ length: 5 }, (_, number) => ({
        id: `${own} ${String(number)}`,
        routeId: kinds[type]!.id,
        text: write(own, 10 * type + number),
      })),
    );
    const scorer = createRouteScorer(kinds);
    const score = createLearnedScorer(learn(siblings, kinds, scorer)!);
    const scores = (own: string) => score(kinds, scorer, write(own, 99)).map((each) => each.score);
    const [rook, crust, anchor] = ["rook pawn", "yeast crust", "anchor harbour"].map(scores);
    expect(rook![0]).toBeGreaterThan(0.9);
    expect(crust![1]).toBeGreaterThan(0.9);
    expect(Math.max(...anchor!)).toBeLessThan(0.1);
  });

  it("keeps routing documents when only one of many belongs to no route", () => {
    const stray = { id: "stray", routeId: null, text: "An invitation to the summer party in the garden." };
    expect(scoreWith([...labeled, stray], createKindText("weather", 90))[0]?.score).toBeGreaterThan(0.5);
  });

  it("tells kinds apart that differ in few words", () => {
    const near = labeled.flatMap((text, index) => [
      { id: `${text.id} new`, routeId: "Type A", text: `${text.text.slice(0, 200)} departure` },
      {
        id: `${text.id} old`,
        routeId: "Type B",
        text: `${text.text.slice(0, 200)} ${index % 2 ? "arrival" : "arrivals"}`,
      },
    ]);
    expect(getBest(near, `${createKindText("weather", 7)} arrival`)).toBe("Type B");
    expect(getBest(near, `${createKindText("weather", 7)} departure`)).toBe("Type A");
  });

  it("names the terms that speak for a route and those that speak against it", () => {
    const scores = scoreWith(labeled, `${createKindText("weather", 90, 30)} oven flour`);
    const ofA = new Map(scores[0]?.evidence.map(({ term, weight }) => [term, weight]));
    const ofB = new Map(scores[1]?.evidence.map(({ term, weight }) => [term, weight]));
    expect([...ofA.values()].some((weight) => weight > 0)).toBe(true);
    expect([...ofB.values()].some((weight) => weight < 0)).toBe(true);
    for (const [term, weight] of ofA) if (/gale|wind|swell/.test(term)) expect(weight).toBeGreaterThan(0);
    for (const [term, weight] of ofB) if (/gale|wind|swell/.test(term)) expect(weight).toBeLessThan(0);
  });

  it("learns nothing from no texts, and from those of routes that are gone", () => {
    expect(learn([], routes, cold)).toBeUndefined();
    expect(learn(createLabeledTexts({ weather: "deleted" }, 3), routes, cold)).toBeUndefined();
    expect(learn(createLabeledTexts({ weather: null }, 3), [], createRouteScorer([]))).toBeUndefined();
  });

  it("keeps nothing of a text that is deleted", () => {
    const marked = { id: "cls_marked", routeId: "Type A", text: `quetzalcoatlus ${createKindText("weather", 50)}` };
    const before = learn([...labeled, marked], routes, cold);
    expect(before?.features).toContain("quetzalcoatlu");
    const after = learn(labeled, routes, cold);
    expect(JSON.stringify(after)).not.toContain("quetzalcoatlu");
    expect(after).toEqual(learn([...labeled, marked].slice(0, -1), routes, cold));
  });

  it("scores routes without labeled texts, and routes that were added since", () => {
    const texts = createLabeledTexts({ weather: "Type A" }, 4);
    const invoice = { ...a!, id: "Invoice", name: "Invoice" };
    const state = learn(texts, routes, cold);
    const all = [...routes, invoice];
    const text =
      "INVOICE\nInvoice number: 7\nInvoice date: 4 March\nAmount due 12.00\nVAT 20 %\nPayment terms net 30 days";
    const scores = createLearnedScorer(state!)(all, createRouteScorer(all), text);
    expect(scores.toSorted((left, right) => right.score - left.score)[0]?.routeId).toBe("Invoice");
  });

  describe("where people contradict the names of routes", () => {
    const [invoice, letter, receipt] = ["Invoice", "Letter", "Receipt"].map((name) => ({
      ...a!,
      id: name,
      name,
      columnLabels: ["Number", "Total"],
    }));
    const paper = [invoice!, letter!, receipt!];
    const scorer = createRouteScorer(paper);
    const write = (number: number) => `Harrow & Finch Collections
To ${["Miller", "Jones", "Abbot", "Kim", "Olsen"][number % 5]!}, ${String(number * 3 + 2)} Oak Street
Your invoice ${String(10_000 + number * 37)}, invoice date ${String((number % 28) + 1)}.06.2026, invoice total ${String(number * 51 + 20)}.00 EUR
The amount named above is still outstanding despite several reminders sent to the address that you have given us. Our client has
instructed us to recover the debt together with interest and costs. If you believe that you do not owe it, please write to us within
fourteen days, and enclose copies of any documents that support your view. Otherwise we will begin proceedings in the county court
without further notice, which may affect your ability to obtain credit.`;
    const realInvoice =
      "INVOICE\nInvoice number: 7\nInvoice date: 4 March\nAmount due 12.00\nVAT 20 %\nPayment terms net 30 days";
    const label = (routeId: string | null, count: number): LabeledText[] =>
      Array.from({ length: count }, (_, number) => ({ id: `cls_${String(number)}`, routeId, text: write(number) }));
    const scoreBy = (texts: readonly LabeledText[], text: string, some = paper): Record<string, number> => {
      const learned = createLearnedScorer(learn(texts, some, scorer)!)(some, scorer, text);
      return Object.fromEntries(learned.map(({ routeId, score }) => [routeId, score]));
    };

    it("takes documents for invoices at first", () => {
      const [ofInvoice, ofLetter] = scorer(write(99));
      expect(ofInvoice!.score).toBeGreaterThan(0.4);
      expect(ofLetter!.score).toBeLessThan(0.1);
    });

    it.each([1, 2, 3, 6, 20])("routes such documents as people do, with %i texts of one route", (count) => {
      for (const text of [write(0), write(99)]) {
        const { Invoice, Letter } = scoreBy(label("Letter", count), text);
        expect(Letter).toBeGreaterThan(0.5);
        expect(Invoice).toBeLessThan(0.3);
      }
      expect(scoreBy(label("Letter", count), realInvoice)["Invoice"]).toBeGreaterThan(0.9);
    });

    it.each([3, 6, 20])("is not less sure the more texts of a route there are (%i) beside one of another", (count) => {
      const texts = [...label("Letter", count), { id: "cls_other", routeId: "Invoice", text: realInvoice }];
      expect(scoreBy(texts, write(99))["Letter"]).toBeGreaterThan(0.9);
    });

    it.each([1, 2, 6])(
      "doubts a route for documents like those (%i) of which people say that they belong to none",
      (count) => {
        const writeMenu = (number: number) =>
          `Menu of the day number ${String(number)}: tomato soup, roasted potatoes, apple pie and coffee. Invoice for lunch ${String(number)}`;
        const menus = label(null, count).map((each, number) => ({ ...each, text: writeMenu(number + 40) }));
        expect(scorer(writeMenu(99))[0]!.score).toBeGreaterThan(0.8);
        expect(scoreBy(menus, writeMenu(40))["Invoice"]).toBeLessThan(0.2);
        expect(scoreBy(menus, writeMenu(99))["Invoice"]).toBeLessThan(0.6);
        expect(scoreBy(menus, realInvoice)["Invoice"]).toBeGreaterThan(0.9);
      },
    );

    it("does not doubt a route of the same type", () => {
      const twins = [{ ...invoice!, group: "model" }, { ...letter!, group: "model" }, receipt!];
      const { Invoice, Letter } = scoreBy(label("Letter", 3), write(99), twins);
      expect(Math.max(Invoice!, Letter!)).toBeGreaterThan(0.5);
      expect(Invoice).toBeGreaterThan(0.3);
    });
  });

  it("does not let routes of one group compete", () => {
    const twins = [{ ...a!, group: "model" }, { ...c!, id: "Twin", group: "model" }, b!];
    const scorer = createRouteScorer(twins);
    const [first, twin, other] = createLearnedScorer(learn(labeled, twins, scorer)!)(
      twins,
      scorer,
      createKindText("weather", 90),
    );
    expect(first!.score).toBeGreaterThan(0.5);
    expect(first!.score).toBeGreaterThanOrEqual(twin!.score);
    expect(first!.score + other!.score).toBeLessThanOrEqual(1.0001);
  });

  it(`does not depend on the order of texts, and has scores between 0 and 1 (seed ${String(seed)})`, () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), fc.constantFrom("", "gale wind", "flour oven"));
    const labeledText = fc.record({
      id: fc.uuid(),
      routeId: fc.constantFrom(null, "Type A", "Type B", "gone"),
      text,
    });
    const texts = fc.uniqueArray(labeledText, { maxLength: 8, selector: ({ id }) => id });
    fc.assert(
      fc.property(texts, text, (some, document) => {
        const scores = scoreWith(some, document);
        expect(scoreWith(some.toReversed(), document)).toEqual(scores);
        for (const { score, evidence } of scores) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          expect(evidence.length).toBeLessThanOrEqual(8);
        }
      }),
      { seed, numRuns: 40 },
    );
  });
});
