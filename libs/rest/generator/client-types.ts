import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { createEnumNames } from "../src/field-names.ts";
import { getComment, getFieldComment } from "../src/openapi/comments.ts";
import type { Direction } from "../src/openapi/schemas.ts";

/** Collects the client's TypeScript interfaces of message types, one for each direction. */
export interface ClientTypes {
  /** Returns the name of a message's interface. Declares it, and the interfaces of its fields. */
  message(descriptor: DescMessage, direction: Direction): string;
  /** Returns the type of a field's value. */
  field(field: DescField, direction: Direction): string;
  /** Declares an interface with these members. Throws if the name is already declared with other members. */
  declare(name: string, comment: string, members: readonly string[]): string;
  /** Returns a member of an interface, with its comment. */
  member(field: DescField, direction: Direction, required: boolean): string;
  /** Returns all declarations, sorted by name. */
  print(): string;
}

/** Creates an empty collection. */
export function createClientTypes(): ClientTypes {
  const declared = new Map<string, string>();

  function declare(name: string, comment: string, members: readonly string[]): string {
    const text = `${documented(comment, "")}export interface ${name} {${members.map((member) => `\n${member}`).join("")}${members.length > 0 ? "\n" : ""}}\n`;
    if ((declared.get(name) ?? text) !== text) throw new Error(`two types have the name ${name}`);
    declared.set(name, text);
    return name;
  }

  function message(descriptor: DescMessage, direction: Direction): string {
    const special = wellKnown.get(descriptor.typeName);
    if (special !== undefined) return special;
    const name = getName(descriptor, direction);
    if (!declared.has(name)) {
      // Declared before its members, because a type may contain itself.
      declared.set(name, "");
      const members = descriptor.fields.map((field) => member(field, direction, direction === "response"));
      declared.delete(name);
      declare(name, getComment(descriptor), members);
    }
    return name;
  }

  function member(field: DescField, direction: Direction, required: boolean): string {
    const nullable = isNullable(field, direction) ? " | null" : "";
    const type = `${getType(field, direction)}${nullable}`;
    const optional = required ? type : `${type} | undefined`;
    return `${documented(getFieldComment(field), "  ")}  readonly ${field.jsonName}${required ? "" : "?"}: ${optional};`;
  }

  function getType(field: DescField, direction: Direction): string {
    switch (field.fieldKind) {
      case "list": {
        const element = getElement(field, field.listKind, direction);
        return element.includes(" ") ? `readonly (${element})[]` : `readonly ${element}[]`;
      }
      case "map":
        return `Readonly<Record<string, ${getElement(field, field.mapKind, direction)}>>`;
      default:
        return getElement(field, field.fieldKind, direction);
    }
  }

  function getElement(field: DescField, kind: "scalar" | "enum" | "message", direction: Direction): string {
    if (kind === "message" && field.message !== undefined) {
      const value = isWrapperDesc(field.message) ? field.message.fields[0] : undefined;
      return value === undefined ? message(field.message, direction) : getElement(value, "scalar", direction);
    }
    if (kind === "enum" && field.enum !== undefined)
      return [...createEnumNames(field.enum).byName.keys()].map((value) => JSON.stringify(value)).join(" | ");
    switch (field.scalar) {
      case ScalarType.STRING:
      case ScalarType.BYTES:
        return "string";
      case ScalarType.BOOL:
        return "boolean";
      default:
        return "number";
    }
  }

  return {
    message,
    field: getType,
    declare,
    member,
    print: () =>
      [...declared]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, text]) => text)
        .join("\n"),
  };
}

const lineWidth = 120;

/** Formats a comment as the doc comment of a declaration, indented and wrapped; "" if it is empty. */
export function documented(comment: string, indent: string): string {
  if (comment === "") return "";
  const text = comment.replaceAll("*/", "*\\/");
  const only = `${indent}/** ${text} */`;
  const lines = text.split("\n").flatMap((line) => wrapped(line, lineWidth - indent.length - " * ".length));
  return only.length <= lineWidth && !text.includes("\n")
    ? `${only}\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** Wraps a line between words. The further lines of a list item are indented. */
function wrapped(line: string, width: number): string[] {
  const hanging = line.startsWith("- ") ? "  " : "";
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = hanging + word;
    } else {
      current = current === "" ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}

/** Whether a member can be null: in a response, if it may be unset; in a request, if null clears it. */
function isNullable(field: DescField, direction: Direction): boolean {
  if (field.fieldKind === "list" || field.fieldKind === "map") return false;
  return direction === "request"
    ? field.proto.proto3Optional
    : field.fieldKind === "message" || field.proto.proto3Optional || field.oneof !== undefined;
}

const wellKnown: ReadonlyMap<string, string> = new Map([
  ["google.protobuf.Timestamp", "string"],
  ["google.protobuf.Duration", "string"],
  ["google.protobuf.FieldMask", "string"],
  ["google.protobuf.Value", "unknown"],
  ["google.protobuf.Struct", "Readonly<Record<string, unknown>>"],
  ["google.protobuf.ListValue", "readonly unknown[]"],
]);

/** Returns the name without the package, as in the OpenAPI schemas. The names of messages inside requests end in "Body". */
function getName(descriptor: DescMessage, direction: Direction): string {
  const local = descriptor.typeName.replace(/^.*?\.v\d+\./, "").replaceAll(".", "_");
  return direction === "request" ? `${local}Body` : local;
}
