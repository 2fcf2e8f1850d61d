import { classifierCells, listCells, placeCells } from "./testing/access-cells.ts";
import type { Cell } from "./testing/access-cells.ts";
import { createMatrixFixture, kinds } from "./testing/access-fixture.ts";
import type { Kind, MatrixFixture } from "./testing/access-fixture.ts";
import { givenSystem } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { createStoredState } from "../testing/stored.ts";
import { getPairs, getSample } from "./testing/access-sample.ts";

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const seed = Number(process.env["SWITCHYARD_TEST_SEED"] ?? Date.now() % 1_000_000);

/**
 * Section 5: the running system is compared with a table, for every scope and grant of a token, every right, every kind of classifier or
 * place, every action and target. `npm test` sends a sample that covers every pair of values. A failure prints the seed of the
 * sample. `npm run test:long` sends all.
 */
export function accessMatrixSuite(where: Where): void {
  const given = givenSystem(where);
  let fixture: MatrixFixture;
  let before: object;

  beforeAll(async () => {
    fixture = await createMatrixFixture(given.system);
    before = await sharedClassifiers();
  });

  /** Sends a sample of these cells, or all, eight at a time. Returns the cells with a wrong outcome. */
  async function wrongCells(all: readonly Cell[]): Promise<object> {
    const cells = isLong ? all : getSample(all, seed);
    const wrong: object[] = [];
    const waiting = cells[Symbol.iterator]();
    const ask = async (): Promise<void> => {
      for (const cell of waiting) {
        const { expected, given } = await cell.ask();
        if (JSON.stringify(expected) !== JSON.stringify(given)) wrong.push({ ...cell.about, expected, given });
      }
    };
    await Promise.all(Array.from({ length: 8 }, ask));
    return { seed, wrong };
  }

  /** Returns the state that no cell may change. Cells that change a classifier use another one. */
  async function sharedClassifiers(): Promise<object> {
    const found = (Object.keys(kinds) as Kind[])
      .filter((kind) => kinds[kind].organization === "own")
      .map(async (kind) => {
        const { body } = await fixture.admin.rest.get(`/api/v1/classify/${fixture.classifiers[kind].id}`);
        const routes = body.deploymentRoutes.map(({ id, targetDeploymentId }: any) => [id, targetDeploymentId]);
        return { kind, name: body.name, projectId: body.projectId, isGlobal: body.isGlobal, routes };
      });
    return Promise.all(found);
  }

  it("covers every pair of values", () => {
    const all = [...classifierCells(fixture), ...placeCells(fixture)];
    const pairsIn = (cells: readonly Cell[]) => new Set(cells.flatMap(getPairs)).size;
    const sample = getSample(all, seed);
    expect(pairsIn(sample)).toBe(pairsIn(all));
    expect(sample.length).toBeLessThan(all.length / 3);
    expect(all.length).toBeGreaterThan(2_000);
  });

  it("has no wrong cell for lists of classifiers", async () => {
    expect(await wrongCells(listCells(fixture))).toEqual({ seed, wrong: [] });
  });

  it("has no wrong cell for classifiers", async () => {
    expect(await wrongCells(classifierCells(fixture))).toEqual({ seed, wrong: [] });
  }, 600_000);

  it("has no wrong cell for resources of projects and of the organization", async () => {
    expect(await wrongCells(placeCells(fixture))).toEqual({ seed, wrong: [] });
  }, 600_000);

  it("has no change by a refused request", async () => {
    expect(await sharedClassifiers()).toEqual(before);
  });

  it("depends on projectId alone: no classifier is stored with a separate scope", async () => {
    const stored = await createStoredState(given.system.uri, (collection) => collection !== "classifiers");
    const documents = [...(await stored.documents()).values()].map((text) => Object.keys(JSON.parse(text)));
    await stored.close();
    expect(documents.length).toBeGreaterThan(Object.keys(kinds).length);
    for (const names of documents) {
      expect(names).toContain("projectId");
      expect(names.filter((name) => /global|scope/i.test(name))).toEqual([]);
    }
  });
}
