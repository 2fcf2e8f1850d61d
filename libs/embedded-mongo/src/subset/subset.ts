import { commands, generalFields, readConcernFields, writeConcernFields } from "../commands/dispatcher.ts";
import { accumulators, cursorFields, stages } from "../commands/reading.ts";
import { deleteFields, updateFields } from "../commands/writing.ts";
import { directions, indexKinds, indexOptions } from "../indexes/index-definition.ts";
import { queryOperators } from "../query/filter.ts";
import { projectionKinds } from "../query/projection.ts";
import { arrayModifiers, updateOperators } from "../update/update-operators.ts";
import { positionalOperators } from "../update/updater.ts";
import { valueTypes } from "../values/values.ts";

/** The options of the commands: the fields that each may have, and the fields of the documents in them. */
export const commandOptions = {
  general: generalFields,
  readConcern: readConcernFields,
  writeConcern: writeConcernFields,
  commands: new Map(Object.entries(commands).map(([name, { fields }]) => [name, fields])),
  updates: updateFields,
  deletes: deleteFields,
  indexes: indexOptions,
  cursor: cursorFields,
};

const { general, commands: fieldsByCommand, updates, deletes, cursor } = commandOptions;

/** The features of MongoDB that the server supports: for each section, the names in it. All others are rejected. */
export const supportedFeatures: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    command: Object.keys(commands),
    option: [...general, ...[...fieldsByCommand.values()].flat(), ...updates, ...deletes, ...cursor],
    query: queryOperators,
    update: [
      "replacement",
      ...updateOperators,
      ...arrayModifiers,
      "upsert",
      "multi",
      ...positionalOperators,
      "arrayFilters",
    ],
    projection: projectionKinds,
    sort: directions.map(String),
    stage: stages,
    accumulator: accumulators,
    expression: [],
    index: indexKinds,
    type: valueTypes,
  }).map(([section, names]) => [section, new Set(names)]),
);
