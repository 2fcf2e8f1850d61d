import { getBsonType, isDocument } from "./bson.ts";
import type { Document } from "./bson.ts";

/** A command without its values: its name, and the features of MongoDB that it uses, each as `section name`, sorted. */
export interface CommandShape {
  readonly command: string;
  readonly features: readonly string[];
}

type Add = (section: string, name: string) => void;

/** Reduces a command to its shape. Commands that differ only in values, names of fields and numbers of elements have the same shape. */
export function getShape(command: Document): CommandShape {
  const features = new Set<string>();
  const name = addCommand(command, (section, feature) => void features.add(`${section} ${feature}`));
  return { command: name, features: [...features].sort() };
}

function addCommand(command: Document, add: Add): string {
  const [name = ""] = Object.keys(command);
  add("command", name);
  for (const option of Object.keys(command).slice(1)) if (command[option] !== undefined) add("option", option);
  const read = reading[name];
  read?.(command, add);
  return name;
}

/** Reads fields of a statement with the given readers. All other fields are options. */
function statement(document: Document, languages: Readonly<Record<string, (value: any, add: Add) => void>>, add: Add) {
  for (const [field, value] of Object.entries(document)) {
    if (value === undefined) continue;
    if (Object.hasOwn(languages, field)) languages[field]?.(value, add);
    else add("option", field);
  }
}

const flag = (section: string, name: string) => (value: unknown, add: Add) => {
  if (value === true) add(section, name);
};
const arrayFilters = (value: unknown, add: Add): void => {
  add("update", "arrayFilters");
  for (const each of getDocuments(value)) addFilter(each, add);
};

/** Readers of the commands whose fields contain features. */
const reading: Readonly<Record<string, (command: Document, add: Add) => void>> = {
  find({ filter, projection, sort }, add) {
    addFilter(filter, add);
    addProjection(projection, add);
    addSort(sort, add);
  },
  count: ({ query }, add) => addFilter(query, add),
  distinct: ({ query }, add) => addFilter(query, add),
  listDatabases: ({ filter }, add) => addFilter(filter, add),
  listCollections: ({ filter }, add) => addFilter(filter, add),
  aggregate: ({ pipeline }, add) => addPipeline(pipeline, add),
  insert: ({ documents }, add) => addTypes(documents, add, true),
  update({ updates }, add) {
    const languages = { q: addFilter, u: addUpdate, upsert: flag("update", "upsert"), multi: flag("update", "multi") };
    for (const each of getDocuments(updates)) statement(each, { ...languages, arrayFilters }, add);
  },
  delete({ deletes }, add) {
    for (const each of getDocuments(deletes)) statement(each, { q: addFilter }, add);
  },
  findAndModify(command, add) {
    addFilter(command["query"], add);
    addSort(command["sort"], add);
    addProjection(command["fields"], add);
    flag("update", "upsert")(command["upsert"], add);
    if (command["update"] !== undefined) addUpdate(command["update"], add);
    if (command["arrayFilters"] !== undefined) arrayFilters(command["arrayFilters"], add);
  },
  createIndexes({ indexes }, add) {
    for (const each of getDocuments(indexes)) addIndex(each, add);
  },
  explain({ explain }, add) {
    if (isDocument(explain)) addCommand(explain, add);
  },
};

function getDocuments(value: unknown): Document[] {
  return Array.isArray(value) ? value.filter(isDocument) : [];
}

const isOperator = (name: string): boolean => name.startsWith("$");
const hasOperators = (value: unknown): value is Document =>
  isDocument(value) && Object.keys(value).some((name) => isOperator(name));
const combining = new Set(["$and", "$or", "$nor"]);

function addFilter(filter: unknown, add: Add): void {
  if (!isDocument(filter)) return;
  for (const [name, value] of Object.entries(filter)) {
    if (!isOperator(name)) addCondition(value, add);
    else {
      add("query", name);
      if (combining.has(name)) for (const each of getDocuments(value)) addFilter(each, add);
    }
  }
}

/** Adds the features of a condition on a field: a value, or operators. */
function addCondition(condition: unknown, add: Add): void {
  if (!hasOperators(condition)) {
    if (getBsonType(condition) === "regex") add("query", "$regex");
    addTypes(condition, add);
    return;
  }
  for (const [operator, operand] of Object.entries(condition)) {
    add("query", operator);
    if (operator === "$not") addCondition(operand, add);
    else if (operator === "$elemMatch") addElement(operand, add);
    else if (Array.isArray(operand)) for (const each of operand) addCondition(each, add);
    else addTypes(operand, add);
  }
}

/** Adds the features of a condition on elements of an array: operators, or a filter of their fields. */
function addElement(value: unknown, add: Add): void {
  if (hasOperators(value) && !Object.keys(value).some((name) => combining.has(name))) addCondition(value, add);
  else addFilter(value, add);
}

function addUpdate(update: unknown, add: Add): void {
  if (Array.isArray(update)) add("update", "pipeline");
  else if (!hasOperators(update)) {
    add("update", "replacement");
    addTypes(update, add);
  } else {
    for (const [operator, fields] of Object.entries(update)) {
      add("update", operator);
      for (const [path, value] of Object.entries(isDocument(fields) ? fields : {})) {
        for (const place of path.split(".").filter(isOperator)) {
          add("update", /^\$\[.+\]$/.test(place) ? "$[name]" : place);
        }
        if (operator === "$pull") addElement(value, add);
        else if (hasOperators(value)) {
          for (const [modifier, operand] of Object.entries(value)) {
            add("update", modifier);
            addTypes(operand, add);
          }
        } else addTypes(value, add);
      }
    }
  }
}

function addPipeline(pipeline: unknown, add: Add): void {
  for (const stage of getDocuments(pipeline)) {
    for (const [name, value] of Object.entries(stage)) {
      add("stage", name);
      if (name === "$match") addFilter(value, add);
      else if (name === "$sort") addSort(value, add);
      else if (name === "$project") addProjection(value, add);
      else if (name === "$group") addGroup(value, add);
    }
  }
}

function addGroup(group: unknown, add: Add): void {
  for (const [field, value] of Object.entries(isDocument(group) ? group : {})) {
    if (field === "_id") addExpression(value, add);
    else {
      for (const [accumulator, operand] of Object.entries(isDocument(value) ? value : {})) {
        add("accumulator", accumulator);
        addExpression(operand, add);
      }
    }
  }
}

function addExpression(expression: unknown, add: Add): void {
  if (typeof expression === "string" && isOperator(expression)) {
    add("expression", expression.startsWith("$$") ? (expression.split(".")[0] ?? "") : "$path");
  } else if (Array.isArray(expression)) {
    for (const each of expression) addExpression(each, add);
  } else if (isDocument(expression)) {
    for (const [name, value] of Object.entries(expression)) {
      if (isOperator(name)) add("expression", name);
      if (name !== "$literal") addExpression(value, add);
    }
  } else addTypes(expression, add);
}

function addProjection(projection: unknown, add: Add): void {
  for (const [path, value] of Object.entries(isDocument(projection) ? projection : {})) {
    if (path.split(".").includes("$")) add("projection", "$");
    if (isDocument(value)) {
      const operators = Object.keys(value).filter(isOperator);
      for (const operator of operators) add("projection", operator);
      if (operators.length === 0) addProjection(value, add);
    } else if (typeof value === "number" || typeof value === "boolean") {
      add("projection", Number(value) === 0 ? "exclusion" : "inclusion");
    } else add("projection", "expression");
  }
}

function addSort(sort: unknown, add: Add): void {
  for (const direction of Object.values(isDocument(sort) ? sort : {})) {
    add("sort", isDocument(direction) ? Object.keys(direction).join() : String(direction));
  }
}

/** Options of an index that do not change its kind. */
const plain = new Set(["v", "key", "name", "background", "ns"]);
const kinds: Readonly<Record<string, string>> = { partialFilterExpression: "partial", expireAfterSeconds: "TTL" };

function addIndex(index: Document, add: Add): void {
  const fields = Object.entries(isDocument(index["key"]) ? index["key"] : {});
  add("index", fields.length > 1 ? "compound" : "single");
  for (const [path, kind] of fields) {
    if (typeof kind === "string") add("index", kind);
    if (path.split(".").some(isOperator)) add("index", "wildcard");
  }
  for (const [option, value] of Object.entries(index)) {
    if (!plain.has(option) && value !== undefined && value !== false) add("index", kinds[option] ?? option);
  }
  addFilter(index["partialFilterExpression"], add);
}

/** Adds the types of a value and of its content. A `$` in the name of a field is a separate feature. */
function addTypes(value: unknown, add: Add, elements = false): void {
  const type = getBsonType(value);
  if (!elements) add("type", type);
  if (type !== "object" && type !== "array") return;
  for (const [name, each] of Object.entries(value as object)) {
    if (isOperator(name)) add("type", "field named with $");
    addTypes(each, add);
  }
}
