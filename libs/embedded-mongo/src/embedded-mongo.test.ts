import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createEmbeddedMongoServer } from "./server.ts";
import { describeMongo } from "./suite/mongo.suite.ts";

// libs/storage, which can start a mongod, runs the same suite on a real MongoDB.
const reasons = describeMongo("the embedded server", {
  embedded: true,
  provide: () => createEmbeddedMongoServer({ folder: ":memory:", expiryIntervalMs: 250 }),
});

// Commands pause as often as possible, so that others run in between. The results must be the same.
if (process.env["SWITCHYARD_TEST_COUNTS"] === "long") {
  describeMongo("the embedded server with time slices of minimum length", {
    embedded: true,
    provide: () => createEmbeddedMongoServer({ folder: ":memory:", expiryIntervalMs: 250 }, { timeSliceMs: 0 }),
  });
}

it("differs only for reasons that README.md lists", async () => {
  const text = await readFile(join(import.meta.dirname, "..", "README.md"), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith("Differences\n")) ?? "";
  const listed = [...section.matchAll(/^- `([a-z0-9-]+)`: \S/gm)].map(([, reason]) => reason);
  expect(listed.sort()).toEqual([...reasons].sort());
});
