import type { DescEnum, DescEnumValue, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { comments } from "@switchyard/contracts/comments";
import { createEnumNames } from "../field-names.ts";

/** A declaration that can have a comment in the contracts. */
export type Commented = DescService | DescMethod | DescMessage | DescField | DescEnum | DescEnumValue;

/**
 * Returns the comment before a declaration in its .proto file, or "" for a declaration outside of the package switchyard. Names of
 * fields in code spans are replaced by their REST names. Each paragraph is one line.
 */
export function getComment(descriptor: Commented): string {
  const name = fullName(descriptor);
  const comment = Object.hasOwn(comments, name) ? (comments[name] ?? "") : "";
  const fields = new Map(toFields(descriptor).map((field) => [field.name, field.jsonName]));
  return comment.replace(/`([a-z][a-z0-9_]*)`/g, (_span, text: string) => `\`${fields.get(text) ?? camelCase(text)}\``);
}

/** Returns the comment of a field, followed by a list of the values that a field of an enum type can have. */
export function getFieldComment(field: DescField): string {
  const values = field.enum === undefined ? [] : [...createEnumNames(field.enum).byNumber];
  const items = values.flatMap(([number, name]) => {
    const value = field.enum?.values.find((candidate) => candidate.number === number);
    const comment = value === undefined ? "" : getComment(value);
    return comment === "" ? [] : [`- \`${name}\`: ${comment}`];
  });
  return [getComment(field), items.join("\n")].filter((text) => text !== "").join("\n\n");
}

/** Returns the first sentence of the comment of a method, without its full stop. */
export function getSummary(method: DescMethod): string {
  return getComment(method).replace(/\.(?:\s.*)?$/s, "");
}

/** Returns the fields that a comment may name. */
function toFields(descriptor: Commented): readonly DescField[] {
  switch (descriptor.kind) {
    case "message":
      return descriptor.fields;
    case "field":
      return descriptor.parent.fields;
    case "rpc":
      return [...descriptor.output.fields, ...descriptor.input.fields];
    default:
      return [];
  }
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_underscore, letter: string) => letter.toUpperCase());
}

function fullName(descriptor: Commented): string {
  switch (descriptor.kind) {
    case "service":
    case "message":
    case "enum":
      return descriptor.typeName;
    case "rpc":
    case "field":
    case "enum_value":
      return `${descriptor.parent.typeName}.${descriptor.name}`;
  }
}
