import { MongoClient } from "mongodb";
import mongoose from "mongoose";
import { describeAggregation } from "./suite/aggregation.suite.ts";
import { describeIndexUse } from "./suite/index-use.suite.ts";
import { describeMongoose } from "./suite/mongoose.suite.ts";
import { describeQueries } from "./suite/queries.suite.ts";
import { describeTransactions } from "./suite/transactions.suite.ts";
import { describeUniqueIndexes } from "./suite/unique-indexes.suite.ts";
import { describeUpdates } from "./suite/updates.suite.ts";
import type { SuiteContext } from "./suite/context.suite.ts";

/** A running server for a test. */
export interface ServerUnderTest {
  readonly uri: string;
  close(): Promise<void>;
}

/** What the services rely on, of any MongoDB: run on the embedded server, and on a real one to keep the suite honest. */
export function describeMongo(name: string, provide: () => Promise<ServerUnderTest>): void {
  describe(name, () => {
    let server: ServerUnderTest;
    let client: MongoClient;
    let connection: mongoose.Connection;
    let count = 0;
    const context: SuiteContext = {
      client: () => client,
      connection: () => connection,
      things: () => client.db("suite").collection(`things${count}`),
      count: () => count,
      ids: async (query, sort = { _id: 1 }) =>
        (
          await context
            .things()
            .find(query)
            .sort(sort as { _id: 1 })
            .toArray()
        ).map(({ _id }) => _id as unknown),
    };

    beforeAll(async () => {
      server = await provide();
      client = await new MongoClient(server.uri).connect();
      connection = await mongoose.createConnection(server.uri, { dbName: "suite" }).asPromise();
    }, 60_000);
    afterAll(async () => {
      await connection.close();
      await client.close();
      await server.close();
    });
    beforeEach(() => {
      count += 1;
    });

    describeMongoose(context);
    describeQueries(context);
    describeUpdates(context);
    describeUniqueIndexes(context);
    describeIndexUse(context);
    describeTransactions(context);
    describeAggregation(context);
  });
}
