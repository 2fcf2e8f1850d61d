import { parsePipeline } from "../aggregation.ts";
import { serverError } from "../errors.ts";
import { planQuery, type Plan } from "../planner.ts";
import { runQuery, type Query } from "../query.ts";
import { fieldOf, isDocument, truthOf, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { checkFields, collectionName, documentsIn, done, type Call } from "./command.ts";
import { findQuery } from "./reading.ts";

const verbosities = ["queryPlanner", "executionStats", "allPlansExecution"];

/** Fields that say nothing about how documents are found. */
const general = "$db $readPreference $clusterTime lsid readConcern writeConcern maxTimeMS comment".split(" ");

/** For each command: its fields, the stage it adds to the plan, and its query. */
const explained: { readonly [name: string]: { fields: string[]; stage?: string; read(command: Document): Query } } = {
  find: {
    fields: ["filter", "sort", "projection", "skip", "limit", "batchSize", "singleBatch"],
    read: findQuery,
  },
  aggregate: { fields: ["pipeline", "cursor"], read: ({ pipeline }) => parsePipeline(pipeline).query },
  count: {
    fields: ["query"],
    stage: "COUNT",
    read: ({ query }) => findQuery({ filter: query }),
  },
  update: {
    fields: ["updates", "ordered"],
    stage: "UPDATE",
    read: (command) => {
      const { q, multi } = statementIn(command, "updates", ["q", "u", "multi", "upsert", "arrayFilters"]);
      return findQuery({ filter: q, limit: truthOf(multi) ? 0 : 1 });
    },
  },
  delete: {
    fields: ["deletes", "ordered"],
    stage: "DELETE",
    read: (command) => {
      const { q, limit } = statementIn(command, "deletes", ["q", "limit"]);
      return findQuery({ filter: q, limit });
    },
  },
  findAndModify: {
    fields: ["query", "sort", "update", "remove", "new", "fields", "upsert", "arrayFilters"],
    stage: "UPDATE",
    read: ({ query, sort }) => findQuery({ filter: query, sort, limit: 1 }),
  },
};

/** Says how another command finds its documents, and changes nothing. */
export function explain(call: Call): Reply {
  const command = fieldOf(call.command, "explain");
  const verbosity = fieldOf(call.command, "verbosity") ?? "allPlansExecution";
  const name = isDocument(command) ? (Object.keys(command)[0] ?? "") : "";
  const known = Object.hasOwn(explained, name) ? explained[name] : undefined;
  if (!isDocument(command) || known === undefined) {
    throw serverError("IllegalOperation", `Command ${name} cannot be explained`);
  }
  if (!verbosities.includes(verbosity as string)) {
    throw serverError("BadValue", `verbosity string must be one of ${verbosities.join(", ")}`);
  }
  checkFields(`an explained ${name}`, command, [name, ...known.fields, ...general]);
  const namespace = collectionName({ ...call, name, command });
  const query = known.read(command);
  const { catalog, records } = call.engine;
  const collection = catalog.find(call.database, namespace);
  const plan = collection === undefined ? undefined : planQuery(collection.indexes, query.filter, query.sort);
  const inner = stagesOf(plan, query);
  const stage = truthOf(command["remove"]) ? "DELETE" : known.stage;
  const winningPlan = stage === undefined ? inner : { stage, inputStage: inner };
  const planner: Document = {
    explainVersion: "1",
    queryPlanner: { namespace: `${call.database}.${namespace}`, winningPlan, rejectedPlans: [] },
  };
  if (verbosity === "queryPlanner") return done(planner);
  const examined = { keys: 0, documents: 0 };
  const start = performance.now();
  const found = collection === undefined ? [] : [...runQuery(records, collection, query, undefined, examined)];
  const executionStats = {
    executionSuccess: true,
    nReturned: known.stage === undefined ? found.length : 0,
    executionTimeMillis: Math.round(performance.now() - start),
    totalKeysExamined: examined.keys,
    totalDocsExamined: examined.documents,
    executionStages: winningPlan,
  };
  return done({ ...planner, executionStats });
}

/** The plan with MongoDB's names of stages. Without a collection there is nothing to look through. */
function stagesOf(plan: Plan | undefined, { sort, skip, limit }: Query): Document {
  if (plan === undefined) return { stage: "EOF" };
  const scans = plan.scans?.map(({ index: { definition, multikey }, reverse }) => ({
    stage: "IXSCAN",
    keyPattern: definition.specification["key"],
    indexName: definition.name,
    isMultiKey: multikey.includes(true),
    isUnique: definition.unique,
    isSparse: definition.sparse,
    isPartial: definition.partial !== undefined,
    direction: reverse ? "backward" : "forward",
  }));
  const inputStage =
    scans?.length === 1 ? scans[0] : { stage: plan.merged ? "SORT_MERGE" : "OR", inputStages: scans ?? [] };
  let stages: Document =
    scans === undefined ? { stage: "COLLSCAN", direction: "forward" } : { stage: "FETCH", inputStage };
  if (!plan.sorted) {
    const sortPattern = Object.fromEntries(sort.map(({ name, direction }) => [name, direction]));
    stages = { stage: "SORT", sortPattern, inputStage: stages };
  }
  if (skip > 0) stages = { stage: "SKIP", skipAmount: skip, inputStage: stages };
  return limit > 0 ? { stage: "LIMIT", limitAmount: limit, inputStage: stages } : stages;
}

function statementIn(command: Document, name: string, fields: string[]): Document {
  const [statement, other] = documentsIn(command, name);
  if (statement === undefined || other !== undefined) {
    throw serverError("InvalidOptions", `only one of the ${name} can be explained at once`);
  }
  checkFields(name, statement, fields);
  return statement;
}
