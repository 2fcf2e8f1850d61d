import { parsePipeline } from "../aggregation.ts";
import { serverError } from "../errors.ts";
import { parseFilter } from "../filter.ts";
import { planQuery, type Plan } from "../planner.ts";
import { runQuery, type Query } from "../query.ts";
import { parseSort } from "../sorting.ts";
import { fieldOf, isDocument, truthOf, wholeNumber, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { checkFields, collectionName, documentsIn, done, refuseOptions, type Call, type Command } from "./command.ts";

/** The command that says how another one finds its documents. It changes nothing. */
export const explainCommands: { readonly [name: string]: Command } = {
  explain: { inTransaction: false, retryable: false, fields: ["verbosity"], run: explain },
};

const verbosities = ["queryPlanner", "executionStats", "allPlansExecution"];

/** Fields that say nothing about how documents are found. */
const general = [
  "$db",
  "$readPreference",
  "$clusterTime",
  "lsid",
  "readConcern",
  "writeConcern",
  "maxTimeMS",
  "comment",
];

/** For each command: its fields, the stage it adds to the plan, and its query. */
const explained: { readonly [name: string]: { fields: string[]; stage?: string; read(command: Document): Query } } = {
  find: {
    fields: ["filter", "sort", "projection", "skip", "limit", "batchSize", "singleBatch"],
    read: ({ filter, sort, skip, limit }) => queryOf(filter, sort, limit, skip),
  },
  aggregate: { fields: ["pipeline", "cursor"], read: ({ pipeline }) => parsePipeline(pipeline).query },
  count: {
    fields: ["query", "skip", "limit"],
    stage: "COUNT",
    read: ({ query, skip, limit }) => queryOf(query, undefined, limit, skip),
  },
  update: {
    fields: ["updates", "ordered"],
    stage: "UPDATE",
    read: (command) => {
      const { q, multi } = statementIn(command, "updates", ["q", "u", "multi", "upsert", "arrayFilters"]);
      return queryOf(q, undefined, truthOf(multi) ? 0 : 1);
    },
  },
  delete: {
    fields: ["deletes", "ordered"],
    stage: "DELETE",
    read: (command) => {
      const { q, limit } = statementIn(command, "deletes", ["q", "limit"]);
      return queryOf(q, undefined, limit);
    },
  },
  findAndModify: {
    fields: ["query", "sort", "update", "remove", "new", "fields", "upsert", "arrayFilters"],
    stage: "UPDATE",
    read: ({ query, sort }) => queryOf(query, sort, 1),
  },
};

function explain(call: Call): Reply {
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
  const { catalog, records } = call.server.engine;
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

function queryOf(filter: unknown, sort: unknown, limit: unknown = 0, skip: unknown = 0): Query {
  return {
    filter: parseFilter(filter ?? {}),
    sort: parseSort(sort ?? {}),
    skip: wholeNumber(skip, "skip"),
    limit: Math.abs(wholeNumber(limit, "limit")),
  };
}

function statementIn(command: Document, name: string, fields: string[]): Document {
  const [statement, other] = documentsIn(command, name);
  if (statement === undefined || other !== undefined) {
    throw serverError("InvalidOptions", `only one of the ${name} can be explained at once`);
  }
  refuseOptions(
    name,
    statement,
    Object.keys(statement).filter((each) => !fields.includes(each)),
  );
  return statement;
}
