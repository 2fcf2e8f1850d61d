import { create, type DescField, type Message } from "@bufbuild/protobuf";
import { fieldNamed, setField } from "../field-names.ts";
import { createTextFieldsReader, splitQuery } from "./query.ts";
import { createVariablesReader } from "./request.ts";
import type { Route, UploadRule } from "../routing/routes.ts";
import type { Outcome, Violation } from "./violation.ts";

/** The name of the part that is the file. */
export const filePart = "file";
/** The query parameter that names a file sent as the raw body. */
export const filenameParameter = "filename";

/**
 * The fields of a streamed upload's messages that are no parts of a form: what the file's own part says is not said again beside
 * it, and which message is the last is told by the end of the request.
 */
export const streamedFileFields: ReadonlySet<string> = new Set(["filename", "content_type", "last"]);

/** What is said of a file beside its bytes. */
export interface FileDescription {
  readonly filename: string;
  readonly contentType: string;
}

/** Makes request messages from uploads. */
export interface UploadReader {
  /** The query of a raw upload: exactly `filename`. */
  filename(query: string): Outcome<string>;
  /** The message without its file: path variables and the other parts, by their REST names. Parts are known by these names. */
  message(
    variables: ReadonlyMap<string, string>,
    query: string,
    parts: readonly (readonly [name: string, value: string])[],
  ): Outcome<Message>;
  /** Of a method that takes a message: the message with the file in it. */
  withFile(message: Message, file: FileDescription, data: Uint8Array): Message;
  /** Of a method that takes a stream: the first message, which says what the file is; it carries no bytes. */
  first(message: Message, file: FileDescription): Message;
  /** Of a method that takes a stream: a message that carries bytes. */
  chunk(data: Uint8Array): Message;
}

/** Compiles the reader of a route's uploads. */
export function createUploadReader(route: Route, rule: UploadRule): UploadReader {
  const input = route.method.input;
  const streaming = route.method.methodKind === "client_streaming";
  const bound = new Set(route.template.variables.map(({ field }) => field));
  const ofFile = streaming ? streamedFileFields : new Set<string>();
  const readVariables = createVariablesReader(route);
  // What excludes the file is no part of a form with one.
  const excluded = rule.field.oneof?.fields ?? [rule.field];
  const readParts = createTextFieldsReader(
    input.fields.filter((field) => !bound.has(field.name) && !ofFile.has(field.name) && !excluded.includes(field)),
  );
  // The message that describes the file: the request itself, or the one that its upload field holds.
  const holder = streaming ? input : (rule.field.message ?? input);
  const named = (name: string): DescField => fieldNamed(holder, name) as DescField;
  const describe = (target: Message, file: FileDescription): void => {
    setField(target, named("filename"), file.filename);
    setField(target, named("content_type"), file.contentType);
  };

  return {
    filename(query) {
      const parameters = splitQuery(query);
      if (!parameters.ok) return parameters;
      const violations: Violation[] = [];
      let filename: string | undefined;
      for (const [name, value] of parameters.value) {
        if (name !== filenameParameter) violations.push({ field: name, message: "is not a parameter of this request" });
        else if (filename !== undefined) violations.push({ field: name, message: "is given more than once" });
        else filename = value;
      }
      if (filename === undefined || filename.trim() === "")
        violations.push({ field: filenameParameter, message: "is required" });
      return violations.length > 0 || filename === undefined
        ? { ok: false, violations }
        : { ok: true, value: filename };
    },
    message(variables, query, parts) {
      const message = create(input);
      const violations: Violation[] = [...readVariables(variables, message)];
      for (const [field] of query === "" ? [] : queryNames(query))
        violations.push({ field, message: "is not a parameter of this request" });
      const values = readParts(parts);
      if (values.ok) for (const [field, value] of values.value) setField(message, field, value);
      else violations.push(...values.violations);
      return violations.length > 0 ? { ok: false, violations } : { ok: true, value: message };
    },
    withFile(message, file, data) {
      const target = create(holder);
      describe(target, file);
      setField(target, named("data"), data);
      setField(message, rule.field, target);
      return message;
    },
    first(message, file) {
      describe(message, file);
      return message;
    },
    chunk(data) {
      const message = create(input);
      setField(message, rule.field, data);
      return message;
    },
  };
}

function queryNames(query: string): readonly (readonly [string, string])[] {
  const parameters = splitQuery(query);
  return parameters.ok ? parameters.value : parameters.violations.map(({ field }) => [field, ""] as const);
}
