/**
 * Whether the sentences of the specification are tested between processes too. Without a MongoDB only with the full counts, because it takes
 * minutes, and the journeys and races between processes run always.
 */
export const runsBetweenProcesses =
  process.env["SWITCHYARD_TEST_COUNTS"] === "long" || (process.env["MONGOD_BINARY"] ?? "") !== "";
