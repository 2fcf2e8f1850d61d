import mongoose from "mongoose";
import { removeInBatches, updateInBatches } from "./batches.ts";
import { startTestDatabase, testDatabaseName } from "./testing/database.ts";

describe(`changes of many documents, at most 200 per command (${testDatabaseName})`, () => {
  const schema = new mongoose.Schema({ _id: { type: String, required: true }, owner: String });

  async function withThings(
    work: (
      things: mongoose.Model<{ _id: string; owner: string }>,
      changes: { command: string; count: number }[],
    ) => Promise<void>,
  ): Promise<void> {
    const database = await startTestDatabase();
    const connection = await mongoose
      .createConnection(database.uri, { dbName: "batches", monitorCommands: true })
      .asPromise();
    try {
      const things = connection.model<{ _id: string; owner: string }>("Thing", schema, "things");
      await things.insertMany(Array.from({ length: 450 }, (_, at) => ({ _id: `one ${at}`, owner: "one" })));
      await things.insertMany([{ _id: "another", owner: "another" }]);
      const changes: { command: string; count: number }[] = [];
      connection.getClient().on("commandSucceeded", ({ commandName: command, reply }) => {
        if (command === "delete" || command === "update") changes.push({ command, count: (reply as { n: number }).n });
      });
      await work(things, changes);
    } finally {
      await connection.close();
      await database.close();
    }
  }

  it("removes all that match", () =>
    withThings(async (things, changes) => {
      await removeInBatches(things, { owner: "one" });
      expect((await things.find().lean()).map(({ _id }) => _id)).toEqual(["another"]);
      expect(changes).toEqual([200, 200, 50].map((count) => ({ command: "delete", count })));
    }));

  it("updates all that match", () =>
    withThings(async (things, changes) => {
      await updateInBatches(things, { owner: "one" }, { $unset: { owner: 1 } });
      expect(await things.countDocuments({ owner: "one" })).toBe(0);
      expect(await things.countDocuments({ owner: "another" })).toBe(1);
      expect(changes).toEqual([200, 200, 50].map((count) => ({ command: "update", count })));
    }));
});
