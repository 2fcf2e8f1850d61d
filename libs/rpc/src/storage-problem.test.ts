import { getProblemFacts } from "./errors.ts";
import { storageProblem } from "./storage-problem.ts";

const failure = (facts: object): Error => Object.assign(new Error("connection 7 to 10.0.0.7 closed"), facts);

describe("storageProblem", () => {
  it.each([
    ["a broken connection", { name: "MongoNetworkError" }],
    ["no primary", { name: "MongoServerSelectionError" }],
    ["a socket that ended", { code: "EPIPE" }],
    ["a replication that timed out", { name: "MongoWriteConcernError", code: 64 }],
    ["a replica set with too few members", { name: "MongoWriteConcernError", code: 100 }],
    ["a primary that stepped down", { name: "MongoServerError", code: 10107 }],
    ["a cache without room for a transaction", { name: "MongoServerError", code: 388 }],
    ["a flush that failed", { name: "MongoServerError", code: 39 }],
    ["a bulk write whose replication timed out", { name: "MongoBulkWriteError", code: 64 }],
    ["an error that may be retried", { name: "MongoServerError", code: 1, errorLabels: ["TransientTransactionError"] }],
  ])("reports %s as unavailable", (_what, facts) => {
    const problem = storageProblem(failure(facts));
    expect(getProblemFacts(problem)).toMatchObject({ reason: "STORAGE_UNAVAILABLE", retryAfterSeconds: 1 });
    expect(problem?.message).not.toContain("10.0.0.7");
  });

  it("reports a full disk with a separate reason", () => {
    for (const name of ["MongoServerError", "MongoBulkWriteError"]) {
      const facts = getProblemFacts(storageProblem(failure({ name, code: 14031 })));
      expect(facts).toMatchObject({ reason: "STORAGE_FULL", retryAfterSeconds: 10 });
    }
  });

  it.each([
    ["a duplicate key", { name: "MongoServerError", code: 11000 }],
    ["a bug in the database", { name: "MongoServerError", code: 1 }],
    ["an error from elsewhere", { code: 64 }],
    ["an error without a code", {}],
  ])("ignores %s", (_what, facts) => expect(storageProblem(failure(facts))).toBeUndefined());
});
