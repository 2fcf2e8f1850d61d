import { notImplemented, serverError } from "../errors.ts";
import { planQuery, type Plan } from "../query/planner.ts";
import type { Query } from "../query/query.ts";
import type { Steps } from "../scheduling/time-slices.ts";
import { isDocument, type Document } from "../values/values.ts";
import type { Reply } from "../wire/wire.ts";
import { collectionName, findCollection, type Call } from "./command.ts";
import { collectRows, parseQuery } from "./reading.ts";

const verbosities = ["queryPlanner", "executionStats", "allPlansExecution"];

/** Explains how a `find` reads its documents, and counts them. `check` rejects unsupported fields of the explained command. */
export function* explain(call: Call, check: (name: string, command: Document) => unknown): Steps<Reply> {
  const { explain: command, verbosity = "allPlansExecution" } = call.command;
  if (!isDocument(command) || Object.keys(command)[0] !== "find") {
    throw notImplemented("explaining anything but a find");
  }
  if (!verbosities.includes(verbosity as string)) {
    throw serverError("BadValue", `verbosity string must be one of ${verbosities.join(", ")}`);
  }
  check("find", command);
  const explained = { ...call, name: "find", command };
  const collection = findCollection(explained);
  const query = parseQuery({ filter: {}, ...command });
  const plan = collection && planQuery(collection.indexes, query.filter, query.sort);
  const winningPlan = plan === undefined ? { stage: "EOF" } : toStages(plan, query);
  const namespace = `${call.database}.${collectionName(explained)}`;
  const queryPlanner = { namespace, winningPlan, rejectedPlans: [] };
  if (verbosity === "queryPlanner") return { explainVersion: "1", queryPlanner };
  const counter = { rowsRead: 0 };
  const found = collection === undefined ? [] : call.engine.query(undefined, collection, query, counter);
  const nReturned = (yield* collectRows(found)).length;
  const totalDocsExamined = counter.rowsRead;
  const totalKeysExamined = plan?.scans[0]?.index === undefined ? 0 : totalDocsExamined;
  const executionStats = { executionSuccess: true, nReturned, totalKeysExamined, totalDocsExamined };
  return { explainVersion: "1", queryPlanner, executionStats };
}

/** Converts a plan to MongoDB's stages. */
function toStages({ scans, sorted }: Plan, { sort, skip, limit }: Query): Document {
  const inputStages = scans.map(({ index, reverse }): Document => {
    const direction = reverse ? "backward" : "forward";
    if (index === undefined) return { stage: "COLLSCAN", direction };
    const { name, specification } = index.definition;
    return { stage: "IXSCAN", keyPattern: specification["key"], indexName: name, direction };
  });
  let plan =
    inputStages.length > 1
      ? { stage: sorted && sort.length > 0 ? "SORT_MERGE" : "OR", inputStages }
      : (inputStages[0] as Document);
  if (plan["stage"] !== "COLLSCAN") plan = { stage: "FETCH", inputStage: plan };
  if (!sorted) {
    const sortPattern = Object.fromEntries(sort.map(({ name, direction }) => [name, direction]));
    plan = { stage: "SORT", sortPattern, inputStage: plan };
  }
  if (skip > 0) plan = { stage: "SKIP", skipAmount: skip, inputStage: plan };
  return limit > 0 ? { stage: "LIMIT", limitAmount: limit, inputStage: plan } : plan;
}
