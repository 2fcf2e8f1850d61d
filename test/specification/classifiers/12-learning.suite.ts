import { setTimeout as sleep } from "node:timers/promises";
import { getBody } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";

/** Documents of two kinds whose words the engine has no knowledge about. */
const kinds = [
  (n: number) => `Bordbuch ${n}\nKurs 270, Wind aus West, Segel gerefft.\nDie Mannschaft ging um ${n} Uhr auf Wache.`,
  (n: number) => `Backplan ${n}\nTeig ansetzen, Sauerteig füttern, Ofen vorheizen.\nUm ${n} Uhr Brote einschießen.`,
] as const;
const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const soon = { timeout: 120_000, interval: 500 };

/** Section 12 of the API: the classifier learns from reviews. */
export function learningSuite(where: Where): void {
  const given = givenTwoProjects(where);

  async function createLearner() {
    const { rest, office } = given;
    const names = [{ name: "A" }, { name: "B" }];
    const targets = [office.invoices, office.receipts].map((deploymentId, n) => ({ deploymentId, ...names[n] }));
    const { path, routes } = await classifierWith(rest, office.projectId, targets);
    const classify = (text: string) => getBody(rest.post(path, { text, extract: false, explain: true }), 201);
    const teach = async (text: string, routeId: string | null) => {
      const record = await classify(text);
      await getBody(rest.post(`${path}/classifications/${record.id}:review`, { routeId, extract: false }), 200);
      return record;
    };
    return { path, routes, classify, teach };
  }

  it("within 10 s, says from how many documents, and gives the same document the same answer", async () => {
    const { rest } = given;
    const { path, routes, classify, teach } = await createLearner();
    const cold = await classify(kinds[0](99));
    expect(cold).toMatchObject({ status: "UNCLASSIFIED", engine: { name: "local", modelName: null, learnedFrom: 0 } });
    for (let n = 1; n <= 5; n += 1) {
      for (const [kind, text] of kinds.entries()) await teach(text(n), routes[kind].id);
    }
    const learned = await vi.waitFor(async () => {
      const record = await getBody(rest.post(`${path}/classifications/${cold.id}:reclassify`, { extract: false }), 201);
      expect(record.engine.learnedFrom).toBe(10);
      return record;
    }, soon);
    expect(learned).toMatchObject({ status: "CLASSIFIED", routeId: routes[0].id, retryOf: cold.id });
    expect(learned.engine.version).not.toBe(cold.engine.version);
    const other = await classify(kinds[1](98));
    expect(other).toMatchObject({ status: "CLASSIFIED", routeId: routes[1].id, engine: learned.engine });
    const { routeWins } = await getBody(rest.get(path), 200);
    expect(routeWins).toEqual(routes.map(({ id }: any) => ({ routeId: id, count: expect.any(Number) })));
    expect(Math.min(...routeWins.map(({ count }: any) => count))).toBeGreaterThan(0);
    const terms = other.scores.find(({ routeId }: any) => routeId === routes[1].id).evidence.terms;
    expect(terms.map(({ term }: any) => term.toLowerCase()).join(" ")).toMatch(/teig|ofen|brote|backplan/);
    const again = await classify(kinds[1](98));
    expect([again.confidence, again.margin, again.scores]).toEqual([other.confidence, other.margin, other.scores]);
  });

  it.each(["another route", "none"])(
    "decides a document that fits a route as a person did: it belongs to %s",
    async (to) => {
      const { rest, office } = given;
      const targets = ["Logbook", "Cruise report"].map((name, n) => {
        return { deploymentId: [office.invoices, office.receipts][n], name };
      });
      const { path, routes } = await classifierWith(rest, office.projectId, targets);
      const write = (n: number) =>
        `Logbook\nLogbook ${n} of the yacht Aurora\nLogbook kept by the mate. ${kinds[0](n)}\n${kinds[1](n)}`;
      const classify = (n: number) => getBody(rest.post(path, { text: write(n), extract: false }), 201);
      const first = await classify(31);
      expect(first).toMatchObject({ status: "CLASSIFIED", routeId: routes[0].id, engine: { learnedFrom: 0 } });
      const routeId = to === "none" ? null : routes[1].id;
      await getBody(rest.post(`${path}/classifications/${first.id}:review`, { routeId, extract: false }), 200);
      await vi.waitFor(async () => expect((await classify(31)).engine.learnedFrom).toBe(1), soon);
      expect((await classify(31)).routeId).toBe(routeId);
    },
  );

  it("forgets a review that is taken back, and what only a deleted file taught", async () => {
    const { rest } = given;
    const { path, routes, classify, teach } = await createLearner();
    const taught = [];
    for (let n = 1; n <= 3; n += 1) {
      for (const [kind, text] of kinds.entries()) taught.push(await teach(text(n), routes[kind].id));
    }
    const expectCount = (count: number) =>
      vi.waitFor(async () => expect((await classify(kinds[0](7))).engine.learnedFrom).toBe(count), soon);
    await teach("Eine Einladung zum Sommerfest im Garten.", null);
    await expectCount(7);
    const [first, second] = taught;
    await getBody(rest.send(`${path}/classifications/${first.id}/review`, { method: "DELETE" }), 204);
    await expectCount(6);
    // After such a time, deleted files that nobody reports are only looked for every half minute.
    if (isLong) await sleep(45_000);
    const deletedAt = performance.now();
    await getBody(rest.send(`/api/v1/files/${second.fileId}`, { method: "DELETE" }), 204);
    await expectCount(5);
    if (isLong) expect(performance.now() - deletedAt).toBeLessThan(20_000);
  });
}
