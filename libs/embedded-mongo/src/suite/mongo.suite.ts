import { randomBytes } from "node:crypto";
import { MongoClient } from "mongodb";
import mongoose from "mongoose";
import { describeAdministration } from "./collections/administration.suite.ts";
import { describeArrayUpdates } from "./writes/array-updates.suite.ts";
import { describeBulkWrites } from "./writes/bulk-writes.suite.ts";
import { getIds, type ServerUnderTest, type SuiteContext } from "./context.suite.ts";
import { describeCursors } from "./queries/cursors.suite.ts";
import { describeDuplicates } from "./collections/duplicates.suite.ts";
import { describeGridFs } from "./protocol/grid-fs.suite.ts";
import { describeIndexUse } from "./collections/index-use.suite.ts";
import { describeIndexes } from "./collections/indexes.suite.ts";
import { describeLimits } from "./protocol/limits.suite.ts";
import { describeMessages } from "./protocol/messages.suite.ts";
import { describeMisuse } from "./protocol/misuse.suite.ts";
import { describeMongoose } from "./protocol/mongoose.suite.ts";
import { describeNumbers } from "./queries/numbers.suite.ts";
import { describeQueries } from "./queries/queries.suite.ts";
import { describeRaces } from "./transactions/races.suite.ts";
import { describeRetries } from "./transactions/retries.suite.ts";
import { describeSorting } from "./queries/sorting.suite.ts";
import { describeTransactions } from "./transactions/transactions.suite.ts";
import { describeConflicts } from "./transactions/conflicts.suite.ts";
import { describeUpdates } from "./writes/updates.suite.ts";
import { describeUpserts } from "./writes/upserts.suite.ts";
import { describeValues } from "./queries/values.suite.ts";

export { describeComparison } from "./comparison.suite.ts";

/**
 * Tests the features of MongoDB that the services need, on the embedded server or on a real one, which verifies the suite. `plain` states
 * that the server can be reached without TLS and credentials. Returns the reasons of the tests that differ.
 */
export function describeMongo(
  name: string,
  { embedded, plain = true, provide }: { embedded: boolean; plain?: boolean; provide: () => Promise<ServerUnderTest> },
): ReadonlySet<string> {
  const reasons = new Set<string>();
  const databaseName = `suite-${randomBytes(6).toString("hex")}`;
  describe(name, () => {
    let server: ServerUnderTest;
    let client: MongoClient;
    let connection: mongoose.Connection;
    let count = 0;
    const context: SuiteContext = {
      uri: () => server.uri,
      client: () => client,
      connection: () => connection,
      database: () => client.db(databaseName),
      things: () => context.database().collection(`things${count}`),
      others: () => context.database().collection(`others${count}`),
      count: () => count,
      ids: (query, sort) => getIds(context.things(), query, sort),
      differs(title, reason, { real, here }) {
        reasons.add(reason);
        it(`${title} (differs: ${reason})`, embedded ? here : real);
      },
      code(code) {
        if (typeof code === "number") return code;
        reasons.add(code.reason);
        return embedded ? code.here : code.real;
      },
      embeddedOnly(title, reason, run) {
        reasons.add(reason);
        if (embedded) it(`${title} (differs: ${reason})`, run);
      },
    };

    beforeAll(async () => {
      server = await provide();
      client = await new MongoClient(server.uri).connect();
      connection = await mongoose.createConnection(server.uri, { dbName: databaseName }).asPromise();
    });
    afterAll(async () => {
      await client.db(databaseName).dropDatabase();
      await connection.close();
      await client.close();
      await server.close();
    });
    beforeEach(() => {
      count += 1;
    });

    describeValues(context);
    describeNumbers(context);
    describeSorting(context);
    describeQueries(context);
    describeUpdates(context);
    describeArrayUpdates(context);
    describeUpserts(context);
    describeMisuse(context);
    describeIndexes(context);
    describeDuplicates(context);
    describeIndexUse(context);
    describeBulkWrites(context);
    describeCursors(context);
    describeAdministration(context);
    describeTransactions(context);
    describeConflicts(context);
    describeRetries(context);
    describeRaces(context);
    describeLimits(context);
    describeMessages(context, plain);
    describeGridFs(context);
    describeMongoose(context);
  });
  return reasons;
}
