import { getBody, refusal } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";

/** Documents of two kinds whose words the engine has no knowledge about. */
const kinds = [
  (n: number) => `Bordbuch ${n}\nKurs 270, Wind aus West, Segel gerefft.\nDie Mannschaft ging um ${n} Uhr auf Wache.`,
  (n: number) => `Backplan ${n}\nTeig ansetzen, Sauerteig füttern, Ofen vorheizen.\nUm ${n} Uhr Brote einschießen.`,
] as const;

/** Section 6: classifiers are measured, too. */
export function qualitySuite(where: Where): void {
  const given = givenTwoProjects(where);

  it("is that of recorded decisions, or of decisions that are made again and cross-fitted", async () => {
    const { rest, office } = given;
    const targets = [office.invoices, office.receipts].map((deploymentId, n) => ({ deploymentId, name: `Kind ${n}` }));
    const { path, routes } = await classifierWith(rest, office.projectId, targets);
    const [a, b] = routes.map(({ id }: any) => id);
    const quality = (query = "") => getBody(rest.get(`${path}/quality${query}`), 200);
    const nothing = { precision: null, precisionCi95: null, recall: null, recallCi95: null, support: 0 };
    expect(await quality("?precision=0.9&replay=true")).toEqual({
      ...{ reviewed: 0, confusion: [], riskCoverage: [], calibrationError: null, threshold: null },
      routes: [
        { routeId: a, routeName: "Kind 0", ...nothing },
        { routeId: b, routeName: "Kind 1", ...nothing },
      ],
    });

    const noKind = (n: number) => `Sternwarte ${n}: Der Komet steht im Zenit, das Okular ist justiert.`;
    const texts = Array.from({ length: 12 }, (_, n) => (n >= 10 ? noKind(n) : kinds[n % 2]!(n)));
    for (const [n, text] of texts.entries()) {
      const record = await getBody(rest.post(path, { text, extract: false }), 201);
      const routeId = n >= 10 ? null : n % 2 === 0 ? a : b;
      await getBody(rest.post(`${path}/classifications/${record.id}:review`, { routeId, extract: false }), 200);
    }
    const recorded = await quality("?precision=0.5");
    expect(recorded.reviewed).toBe(12);
    const sum = (cells: any[]) => cells.reduce((total, { count }) => total + count, 0);
    expect(sum(recorded.confusion)).toBe(12);
    expect(recorded.confusion[0].reviewed).toBe(a);
    expect(recorded.confusion.at(-1).reviewed).toBeNull();
    expect(recorded.routes.map(({ support }: any) => support)).toEqual([5, 5]);

    const replayed = await quality("?precision=0.5&replay=true");
    expect(await quality("?precision=0.5&replay=true")).toEqual(replayed);
    expect([replayed.reviewed, sum(replayed.confusion)]).toEqual([12, 12]);
    for (const { recall, recallCi95, support } of replayed.routes) {
      expect(support).toBe(5);
      expect(recall).toBeGreaterThanOrEqual(0.6);
      expect(recallCi95.low).toBeLessThan(recall);
    }
    expect(replayed.riskCoverage.at(-1)).toEqual({
      coverage: expect.any(Number),
      risk: expect.any(Number),
      threshold: expect.any(Number),
    });
    expect(replayed.threshold).toEqual({
      precision: 0.5,
      threshold: expect.any(Number),
      coverage: expect.any(Number),
      lowerBound: expect.any(Number),
    });
    // Ten documents are too few for this.
    expect((await quality("?precision=0.99&replay=true")).threshold).toBeNull();
  });

  it("counts the reviews of a classifier that has lost all of its routes", async () => {
    const { rest, office } = given;
    const { path, routes } = await classifierWith(rest, office.projectId, [{ deploymentId: office.invoices }]);
    for (const n of [1, 2, 3]) {
      const record = await getBody(rest.post(path, { text: kinds[0](n), extract: false }), 201);
      await getBody(rest.post(`${path}/classifications/${record.id}:review`, { routeId: null, extract: false }), 200);
    }
    await getBody(rest.send(`${path}/routes/${routes[0].id}`, { method: "DELETE" }), 204);
    for (const replay of [false, true])
      expect(await getBody(rest.get(`${path}/quality?replay=${replay}`), 200)).toMatchObject({
        ...{ reviewed: 3, routes: [], confusion: [{ reviewed: null, decided: null, count: 3 }] },
      });
  });

  it("requires a precision from 0 to 1, and an existing classifier", async () => {
    const { rest, office } = given;
    const path = `/api/v1/classify/${office.classifier}/quality`;
    expect(await refusal(rest.get(`${path}?precision=1.1`))).toBe("400 INVALID_REQUEST precision");
    expect(await refusal(rest.get("/api/v1/classify/clf_none/quality"))).toBe("404 CLASSIFIER_NOT_FOUND classifierId");
  });
}
