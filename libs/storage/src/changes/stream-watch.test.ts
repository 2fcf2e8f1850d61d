import mongoose from "mongoose";
import { createStreamWatch, watchCollections, type ChangeStream } from "./stream-watch.ts";
import { startTestDatabase, testDatabaseName, useDatabase } from "../testing/database.ts";

const database = useDatabase(startTestDatabase);
const hasStreams = testDatabaseName === "MongoDB";

describe.runIf(hasStreams)("a watch of a change stream", () => {
  let connection: mongoose.Connection;
  beforeAll(async () => {
    connection = await mongoose.createConnection(database.uri, { dbName: "streams" }).asPromise();
    await connection.collection("things").insertOne({});
  });
  afterAll(() => connection.close());

  /** The number of streams whose responses followed each other without a pause. They fail, because they would block this process. */
  let endless = 0;

  function limit(stream: ChangeStream): ChangeStream {
    let responses = 0;
    return {
      get closed() {
        return stream.closed;
      },
      async tryNext() {
        responses += 1;
        if (responses <= 500) return stream.tryNext();
        endless += 1;
        throw new Error("too many responses");
      },
      close: () => stream.close(),
    };
  }

  it.each([
    {
      name: "collection",
      open: () => connection.collection("things").watch([]),
      drop: () => connection.dropCollection("things"),
    },
    { name: "database", open: () => watchCollections(connection, ["things"]), drop: () => connection.dropDatabase() },
  ])("opens it again when the $name is dropped", async ({ open, drop }) => {
    const streams: ChangeStream[] = [];
    let changes = 0;
    const watch = createStreamWatch(
      () => {
        const stream = limit(open());
        streams.push(stream);
        return stream;
      },
      { retryMs: 10, onChange: () => void (changes += 1) },
    );
    const insertUntilReported = async (): Promise<void> => {
      const before = changes;
      while (changes === before || !watch.isWatching) {
        await connection.collection("things").insertOne({});
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    watch.start();
    await insertUntilReported();
    await drop();
    await expect.poll(() => streams.length).toBeGreaterThan(1);
    expect(endless).toBe(0);
    await insertUntilReported();
    // A stream may fail to open at first.
    expect(streams.length).toBeLessThan(10);
    watch.stop();
  });
});
