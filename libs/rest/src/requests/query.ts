import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { toContractName, toRestName, type FieldPath } from "../field-paths.ts";
import { maxDepth } from "./json-text.ts";
import { createTextReader, type TextReader } from "./text-values.ts";
import { memberPath, type Outcome, type Violation } from "./violation.ts";

/** Splits a query string into its decoded parameters, in order. `+` is a space, as browsers send it. */
export function splitQuery(query: string): Outcome<readonly (readonly [name: string, value: string])[]> {
  const parameters: (readonly [string, string])[] = [];
  const violations: Violation[] = [];
  for (const part of query.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const rawName = equals < 0 ? part : part.slice(0, equals);
    const name = decode(rawName);
    const value = decode(equals < 0 ? "" : part.slice(equals + 1));
    if (name === undefined || value === undefined)
      violations.push({ field: memberPath("", name ?? rawName), message: "is not valid percent-encoded UTF-8" });
    else parameters.push([name, value]);
  }
  return violations.length > 0 ? { ok: false, violations } : { ok: true, value: parameters };
}

/** Reads named texts (query parameters or form parts) into the values of fields. */
export type TextFieldsReader = (
  parameters: readonly (readonly [name: string, value: string])[],
) => Outcome<readonly (readonly [path: FieldPath, value: unknown])[]>;

/** A parameter: the field that it sets, and the members of oneofs that it chooses on the way, each by the path of its oneof. */
interface Parameter {
  readonly path: FieldPath;
  readonly list: boolean;
  readonly read: TextReader;
  readonly choices: readonly (readonly [oneof: string, field: DescField])[];
}

/**
 * Compiles the reader of named texts for fields by their REST names. The fields of a message are named with dots ("shelf.name"), and the
 * elements of a list are given one by one under the same name. Unknown, empty and duplicate names, values of the wrong type, and a second
 * member of a oneof are violations that name the parameter. Lists of messages, maps, and `excluded` paths of the contract are unknown too.
 */
export function createTextFieldsReader(
  fields: readonly DescField[],
  excluded: ReadonlySet<string> = new Set(),
): TextFieldsReader {
  const tree = createMembers(fields, new Map());
  const known = new Map(
    listLeaves(tree, excluded, []).map(([path, read]) => [toRestName(path), createParameter(path, read)] as const),
  );
  return (parameters) => {
    const values: (readonly [FieldPath, unknown])[] = [];
    const violations: Violation[] = [];
    const seen = new Map<string, unknown[]>();
    const chosen = new Map<string, DescField>();
    for (const [name, text] of parameters) {
      const parameter = known.get(name) ?? findParameter(tree, name, excluded);
      const field = memberPath("", name);
      const earlier = seen.get(name);
      const elements = earlier ?? [];
      seen.set(name, elements);
      if (name === "") violations.push({ field, message: "a parameter without a name" });
      else if (parameter === undefined) violations.push({ field, message: "is not a parameter of this request" });
      else if (earlier !== undefined && !parameter.list) violations.push({ field, message: "is given more than once" });
      else if (!choose(chosen, parameter))
        violations.push({ field, message: "excludes another parameter that is given" });
      else {
        const outcome = parameter.read(text);
        if (!outcome.ok) violations.push({ field, message: outcome.message });
        else if (!parameter.list) values.push([parameter.path, outcome.value]);
        else if (elements.push(outcome.value) === 1) values.push([parameter.path, elements]);
      }
    }
    return violations.length > 0 ? { ok: false, violations } : { ok: true, value: values };
  };
}

/** Lists the paths of the parameters of fields. A message inside itself is left out, although its fields are parameters too. */
export function listParameters(fields: readonly DescField[], excluded: ReadonlySet<string>): readonly FieldPath[] {
  return listLeaves(createMembers(fields, new Map()), excluded, []).map(([path]) => path);
}

/** A field by its REST name: either a value, or a message with members. */
type Member = { readonly field: DescField } & ({ readonly read: TextReader } | { readonly members: Members });
type Members = ReadonlyMap<string, Member>;

/** Compiles the members of each message once, because a message may contain itself. */
function createMembers(fields: readonly DescField[], compiled: Map<string, Members>): Members {
  const members = new Map<string, Member>();
  for (const field of fields) {
    const read = createTextReader(field);
    if (read !== undefined) members.set(field.jsonName, { field, read });
    else if (field.fieldKind === "message" && !field.message.typeName.startsWith("google.protobuf."))
      members.set(field.jsonName, { field, members: getMembers(field.message, compiled) });
  }
  return members;
}

function getMembers(descriptor: DescMessage, compiled: Map<string, Members>): Members {
  const known = compiled.get(descriptor.typeName);
  if (known !== undefined) return known;
  const members = new Map<string, Member>();
  compiled.set(descriptor.typeName, members);
  for (const [name, member] of createMembers(descriptor.fields, compiled)) members.set(name, member);
  return members;
}

function listLeaves(
  members: Members,
  excluded: ReadonlySet<string>,
  before: FieldPath,
): (readonly [path: FieldPath, read: TextReader])[] {
  return [...members.values()].flatMap((member) => {
    const path = [...before, member.field];
    if (excluded.has(toContractName(path))) return [];
    if ("read" in member) return [[path, member.read] as const];
    return before.some(({ message }) => message === member.field.message)
      ? []
      : listLeaves(member.members, excluded, path);
  });
}

/** Finds a parameter of a message inside itself, which has any number of names. */
function findParameter(tree: Members, name: string, excluded: ReadonlySet<string>): Parameter | undefined {
  const parts = name.split(".");
  if (parts.length < 2 || parts.length > maxDepth) return undefined;
  const path: DescField[] = [];
  let members: Members | undefined = tree;
  for (const part of parts) {
    const member: Member | undefined = members?.get(part);
    if (member === undefined) return undefined;
    path.push(member.field);
    if (excluded.has(toContractName(path))) return undefined;
    if ("read" in member) return path.length === parts.length ? createParameter(path, member.read) : undefined;
    members = member.members;
  }
  return undefined;
}

function createParameter(path: FieldPath, read: TextReader): Parameter {
  const choices = path.flatMap((field, index) =>
    field.oneof === undefined ? [] : [[`${toContractName(path.slice(0, index))}.${field.oneof.name}`, field] as const],
  );
  return { path, list: path.at(-1)?.fieldKind === "list", read, choices };
}

/** Notes the members of oneofs that a parameter chooses. Returns false if another member was chosen before. */
function choose(chosen: Map<string, DescField>, { choices }: Parameter): boolean {
  for (const [oneof, field] of choices) {
    if ((chosen.get(oneof) ?? field) !== field) return false;
    chosen.set(oneof, field);
  }
  return true;
}

function decode(text: string): string | undefined {
  // Most names and values contain nothing to decode.
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
