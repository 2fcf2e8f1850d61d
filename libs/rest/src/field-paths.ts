import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { findField, getField, setField } from "./field-names.ts";

/** The fields from a message to one of its fields or to a field of a message within it. Never empty. */
export type FieldPath = readonly DescField[];

/** Finds a field by its path in the contract, such as "shelf.name". Undefined if a name is unknown or leads through a list or a map. */
export function findPath(message: DescMessage, path: string): FieldPath | undefined {
  const fields: DescField[] = [];
  let parent: DescMessage | undefined = message;
  for (const name of path.split(".")) {
    const field: DescField | undefined = parent === undefined ? undefined : findField(parent, name);
    if (field === undefined) return undefined;
    fields.push(field);
    parent = field.fieldKind === "message" ? field.message : undefined;
  }
  return fields;
}

/** Returns the REST name of a path: "shelf.name". */
export function toRestName(path: FieldPath): string {
  return path.map(({ jsonName }) => jsonName).join(".");
}

/** Returns a path as contracts write it: "shelf.name". */
export function toContractName(path: FieldPath): string {
  return path.map(({ name }) => name).join(".");
}

/** Sets the field at the end of a path. Messages on the way that are not set are created. */
export function setAtPath(message: Message, path: FieldPath, value: unknown): void {
  let target: object = message;
  for (const [index, field] of path.entries()) {
    if (index === path.length - 1) return setField(target, field, value);
    let inner = getField(target, field);
    if (inner === undefined) {
      inner = create(field.message as DescMessage);
      setField(target, field, inner);
    }
    target = inner as object;
  }
}

/** Reads the field at the end of a path; undefined if it has presence and is not set, or a message on the way is not. */
export function getAtPath(message: object, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (target, field) => (target === undefined ? undefined : getField(target as object, field)),
    message,
  );
}

/** Returns the paths that begin with a name, without this name. */
export function pathsWithin(paths: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const prefix = `${name}.`;
  return new Set([...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length)));
}
