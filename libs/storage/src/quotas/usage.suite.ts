import { getProblemFacts } from "@switchyard/rpc";
import { Schema } from "mongoose";
import type { Model } from "mongoose";
import { connectStorage, newId } from "../index.ts";
import type { Storage } from "../index.ts";
import { useDatabase } from "../testing/database.ts";
import type { TestDatabase } from "../testing/database.ts";
import { requireQuota } from "./quotas.ts";
import { createUsage } from "./usage.ts";
import type { Usage } from "./usage.ts";

interface Item {
  _id: string;
  organizationId: string;
}

/** Tests the counts of organizations, on the given server. */
export function usageSuite(provide: () => Promise<TestDatabase>): void {
  const database = useDatabase(provide);
  let storage: Storage;
  let items: Model<Item>;
  let usage: Usage<"models">;

  beforeEach(async () => {
    storage = await connectStorage({ uri: database.uri, database: newId("test") });
    const schema = new Schema<Item>({ _id: String, organizationId: String }, { versionKey: false });
    items = storage.connection.model<Item>("items", schema, "items");
    usage = createUsage(storage.connection, ["models"], async (organizationId, session) => ({
      models: await items.countDocuments({ organizationId }, { session }),
    }));
    await storage.ready();
  });
  afterEach(async () => {
    await storage.connection.dropDatabase();
    await storage.close();
  });

  const insert = (organizationId: string, limit: number) =>
    storage.atomically(async (session) => {
      await items.create([{ _id: newId("itm"), organizationId }], { session });
      const added = { models: 1 };
      requireQuota({ models: limit }, await usage.change(organizationId, added, session), added);
    });
  const remove = (organizationId: string) =>
    storage.atomically(async (session) => {
      await items.deleteOne({ organizationId }, { session });
      return usage.change(organizationId, { models: -1 }, session);
    });
  const getStored = async (organizationId: string): Promise<unknown> =>
    storage.connection.collection<Item>("usage").findOne({ _id: organizationId });

  it("count what an organization had before its first change, and leave others alone", async () => {
    await items.insertMany(
      ["org_1", "org_1", "org_1", "org_2"].map((organizationId) => ({ _id: newId("itm"), organizationId })),
    );
    await insert("org_1", 100);
    expect(await getStored("org_1")).toEqual({ _id: "org_1", models: 4 });
    expect(await remove("org_2")).toMatchObject({ models: 0 });
    expect(await remove("org_1")).toMatchObject({ models: 3 });
  });

  it("grant the last of a quota to one of several concurrent requests, and roll the others back", async () => {
    await items.insertMany([1, 2, 3].map(() => ({ _id: newId("itm"), organizationId: "org_1" })));
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => insert("org_1", 5)));
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [getProblemFacts(outcome.reason)] : [],
    );
    expect(refused).toHaveLength(6);
    for (const { reason, metadata, message } of refused) {
      expect(reason).toBe("QUOTA_EXCEEDED");
      expect(metadata).toEqual({ quota: "models", limit: "5", used: "5" });
      expect(message).toBe("The organization may have at most 5 models, and has 5.");
    }
    expect(await items.countDocuments({ organizationId: "org_1" })).toBe(5);
    expect(await getStored("org_1")).toMatchObject({ models: 5 });
    await remove("org_1");
    await insert("org_1", 5);
    await expect(insert("org_1", 5)).rejects.toThrow("at most 5 models");
  });

  it("are right after concurrent additions and removals, of which the first counts", async () => {
    await items.insertMany(Array.from({ length: 10 }, () => ({ _id: newId("itm"), organizationId: "org_1" })));
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? insert("org_1", 100) : remove("org_1"))),
    );
    expect(await items.countDocuments({ organizationId: "org_1" })).toBe(10);
    expect(await getStored("org_1")).toMatchObject({ models: 10 });
  });
}
