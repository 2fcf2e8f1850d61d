import mongoose from "mongoose";
import { removeInBatches } from "./batches.ts";
import { startTestDatabase, testDatabaseName } from "./testing/database.ts";

it(`removeInBatches removes all matching documents, at most 200 per command (${testDatabaseName})`, async () => {
  const database = await startTestDatabase();
  const connection = await mongoose
    .createConnection(database.uri, { dbName: "batches", monitorCommands: true })
    .asPromise();
  try {
    const schema = new mongoose.Schema({ _id: { type: String, required: true }, owner: String });
    const things = connection.model<{ _id: string; owner: string }>("Thing", schema, "things");
    await things.insertMany(Array.from({ length: 450 }, (_, at) => ({ _id: `one ${at}`, owner: "one" })));
    await things.insertMany([{ _id: "another", owner: "another" }]);
    const removed: number[] = [];
    connection.getClient().on("commandSucceeded", ({ commandName, reply }) => {
      if (commandName === "delete") removed.push((reply as { n: number }).n);
    });
    await removeInBatches(things, { owner: "one" });
    expect((await things.find().lean()).map(({ _id }) => _id)).toEqual(["another"]);
    expect(removed).toEqual([200, 200, 50]);
  } finally {
    await connection.close();
    await database.close();
  }
});
