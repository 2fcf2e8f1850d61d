import { serverError } from "../errors.ts";
import { planQuery } from "../planner.ts";
import { runQuery, type Query } from "../query.ts";
import { isDocument, truthOf, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { collectionName, collectionOf, type Call } from "./command.ts";
import type { Command } from "./dispatcher.ts";
import { parsePipeline } from "./reading.ts";

/** The commands that can be explained, and the stage that each adds to the plan of its query. */
const stages = { find: "", aggregate: "", update: "UPDATE", delete: "DELETE", findAndModify: "UPDATE" };
const verbosities = ["queryPlanner", "executionStats", "allPlansExecution"];

/** Says how another command finds its documents, and changes nothing; `commandOf` looks a command up and checks it. */
export function explain(call: Call, commandOf: (name: string, command: Document) => Command): Reply {
  const { explain: command, verbosity = "allPlansExecution" } = call.command;
  const name = isDocument(command) ? (Object.keys(command)[0] ?? "") : "";
  if (!isDocument(command) || !Object.hasOwn(stages, name)) {
    throw serverError("IllegalOperation", `Command ${name} cannot be explained`);
  }
  if (!verbosities.includes(verbosity as string)) {
    throw serverError("BadValue", `verbosity string must be one of ${verbosities.join(", ")}`);
  }
  const statements = command["updates"] ?? command["deletes"];
  if (Array.isArray(statements) && statements.length > 1) {
    throw serverError("InvalidLength", "explained write batches must be of size 1");
  }
  const { run } = commandOf(name, command);
  const explained = { ...call, name, command };
  const collection = collectionOf(explained);
  const query = collection === undefined ? undefined : queryOf(run, explained);
  const inner: Document =
    collection === undefined || query === undefined
      ? { stage: "EOF" }
      : stagesOf(planQuery(collection.indexes, query.filter, query.sort), query);
  const stage = truthOf(command["remove"]) ? "DELETE" : stages[name as keyof typeof stages];
  const winningPlan = stage === "" ? inner : { stage, inputStage: inner };
  const namespace = `${call.database}.${collectionName(explained)}`;
  const result: Document = { explainVersion: "1", queryPlanner: { namespace, winningPlan, rejectedPlans: [] } };
  if (verbosity !== "queryPlanner") {
    const examined = { keys: 0, documents: 0 };
    const start = performance.now();
    const none = collection === undefined || query === undefined;
    const found = none ? [] : [...runQuery(call.engine.records, collection, query, undefined, examined)];
    result["executionStats"] = {
      executionSuccess: true,
      nReturned: stage === "" ? found.length : 0,
      executionTimeMillis: Math.round(performance.now() - start),
      totalKeysExamined: examined.keys,
      totalDocsExamined: examined.documents,
      executionStages: winningPlan,
    };
  }
  const group = name === "aggregate" ? parsePipeline(command["pipeline"]).group : undefined;
  if (group === undefined) return result;
  return { stages: [{ $cursor: result }, ...(command["pipeline"] as Document[]).slice(-1)] };
}

/** Runs a command up to the query that it asks first; undefined when it answers without one. */
function queryOf(run: Command["run"], call: Call): Query | undefined {
  const asked: Query[] = [];
  const stopped = new Error("The query is known.");
  const query: Call["engine"]["query"] = (_transaction, _collection, given) => {
    asked.push(given);
    throw stopped;
  };
  try {
    run({ ...call, engine: Object.assign(Object.create(call.engine) as Call["engine"], { query }) });
  } catch (error) {
    if (error !== stopped) throw error;
  }
  return asked[0];
}

/** A plan with MongoDB's names of stages. */
function stagesOf({ scans, merged, sorted }: ReturnType<typeof planQuery>, { sort, skip, limit }: Query): Document {
  const inputs = scans?.map(({ index: { definition, multikey }, reverse }) => ({
    stage: "IXSCAN",
    keyPattern: definition.specification["key"],
    indexName: definition.name,
    isMultiKey: multikey.includes(true),
    isUnique: definition.unique,
    isSparse: definition.sparse,
    isPartial: definition.partial !== undefined,
    direction: reverse ? "backward" : "forward",
  }));
  const inputStage = inputs?.length === 1 ? inputs[0] : { stage: merged ? "SORT_MERGE" : "OR", inputStages: inputs };
  let plan: Document =
    inputs === undefined ? { stage: "COLLSCAN", direction: "forward" } : { stage: "FETCH", inputStage };
  if (!sorted) {
    const sortPattern = Object.fromEntries(sort.map(({ name, direction }) => [name, direction]));
    plan = { stage: "SORT", sortPattern, inputStage: plan };
  }
  if (skip > 0) plan = { stage: "SKIP", skipAmount: skip, inputStage: plan };
  return limit > 0 ? { stage: "LIMIT", limitAmount: limit, inputStage: plan } : plan;
}
