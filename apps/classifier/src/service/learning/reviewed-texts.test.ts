import { connectStorage, createPassingCache, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase, testDatabaseName, useDatabase } from "@switchyard/storage/testing";
import type { LabeledText } from "../../domain/learning/labeled-text.ts";
import { selectTexts } from "../../domain/learning/text-selection.ts";
import { createReviewedDocumentStore } from "../../store/reviews/reviewed-documents.ts";
import type { ReviewedDocumentStore } from "../../store/reviews/reviewed-documents.ts";
import { readReviewedTexts } from "./reviewed-texts.ts";

describe(`the reviewed documents that a classifier learns from, on the ${testDatabaseName}`, () => {
  const database = useDatabase(startTestDatabase);
  let storage: Storage;
  let reviewed: ReviewedDocumentStore;
  beforeAll(async () => {
    storage = await connectStorage({ uri: database.uri, database: newId("test") });
    reviewed = createReviewedDocumentStore(storage.connection, createPassingCache());
    await storage.ready();
  });
  afterAll(() => storage.close());

  /** Stores this many reviews of each route, in turns, and returns them as texts in order of their IDs. */
  async function review(classifierId: string, counts: ReadonlyMap<string | null, number>): Promise<LabeledText[]> {
    const routeIds = Array.from({ length: Math.max(...counts.values()) }, (_, turn) =>
      [...counts].filter(([, count]) => count > turn).map(([routeId]) => routeId),
    ).flat();
    const texts = routeIds.map((routeId, number) => {
      const id = `cls_${classifierId}_${String(number).padStart(5, "0")}`;
      return { id, routeId, text: `Text ${number}` };
    });
    await storage.atomically(async (session) => {
      for (const text of texts) await reviewed.set({ ...text, classifierId, fileIds: [], choices: [] }, session);
    });
    return texts;
  }

  it("are all of them if there are few, of no route too, and none of another classifier or an unknown route", async () => {
    const counts = new Map([
      ["rte_a", 3],
      ["rte_b", 1],
      [null, 2],
      ["rte_deleted", 2],
    ]);
    const texts = await review("clf_few", counts);
    await review("clf_other", new Map([["rte_a", 2]]));
    const known = new Map([...counts.keys()].filter((id) => id !== "rte_deleted").map((id) => [id, 0]));
    expect(await readReviewedTexts(reviewed, "clf_few", known)).toEqual(
      texts.filter(({ routeId }) => routeId !== "rte_deleted"),
    );
    expect(await reviewed.getRouteIds("clf_few")).toEqual(["rte_a", "rte_b", "rte_deleted"]);
    expect(await reviewed.count("clf_few")).toBe(8);
    expect(await readReviewedTexts(reviewed, "clf_none", known)).toEqual([]);
    expect(await reviewed.getRouteIds("clf_none")).toEqual([]);
  });

  it("are the latest of the routes that have too many, and as many as the examples leave room for", async () => {
    const counts = new Map([
      ["rte_a", 70],
      ["rte_b", 45],
      ["rte_c", 5],
      [null, 16],
    ]);
    const texts = await review("clf_many", counts);
    const examples = new Map<string | null, number>([
      ["rte_a", 4],
      ["rte_b", 0],
      ["rte_c", 15],
      [null, 0],
    ]);
    const ofExamples = [...examples].flatMap(([routeId, count]) =>
      Array.from({ length: count }, (_, number) => ({ id: `example ${number}`, routeId, text: "" })),
    );
    const expected = selectTexts([...texts, ...ofExamples], 100).filter(({ id }) => id.startsWith("cls_"));
    expect(expected.length).toBe(100 - 19);
    expect(await readReviewedTexts(reviewed, "clf_many", examples, 100)).toEqual(expected);
  });
});
