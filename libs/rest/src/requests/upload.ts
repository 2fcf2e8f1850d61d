import { create, type DescField, type Message } from "@bufbuild/protobuf";
import { findField, setField } from "../field-names.ts";
import { setAtPath } from "../field-paths.ts";
import { createTextFieldsReader, splitQuery } from "./query.ts";
import { createVariablesReader } from "./request.ts";
import type { Route, UploadRule } from "../routing/routes.ts";
import { memberPath, type Outcome, type Violation } from "./violation.ts";

/** The name of the form part with the file. */
export const filePart = "file";
/** The query parameter with the name of a file that is sent as the raw body. */
export const filenameParameter = "filename";

/**
 * The fields of a streamed upload's messages that are not parts of a form: the file's own part contains its name and type, and the end of
 * the request marks the last message.
 */
export const streamedFileFields: ReadonlySet<string> = new Set(["filename", "content_type", "last"]);

/** The description of a file. */
export interface FileDescription {
  readonly filename: string;
  readonly contentType: string;
}

/** Creates request messages from uploads. */
export interface UploadReader {
  /** Parses the query of a raw upload, which is exactly `filename`. */
  filename(query: string): Outcome<string>;
  /** Creates the message without its file, from path variables and the other parts by their REST names. */
  message(
    variables: ReadonlyMap<string, string>,
    query: string,
    parts: readonly (readonly [name: string, value: string])[],
  ): Outcome<Message>;
  /** Adds the file to the message, for a method with a single request message. */
  withFile(message: Message, file: FileDescription, data: Uint8Array): Message;
  /** Creates the first message, which describes the file and contains no bytes, for a method with a request stream. */
  first(message: Message, file: FileDescription): Message;
  /** Creates a message with bytes, for a method with a request stream. */
  chunk(data: Uint8Array): Message;
}

/** Compiles the reader of a route's uploads. */
export function createUploadReader(route: Route, rule: UploadRule): UploadReader {
  const input = route.method.input;
  const streaming = route.method.methodKind === "client_streaming";
  const fileFields = streaming ? streamedFileFields : new Set<string>();
  const readVariables = createVariablesReader(route);
  // A field that excludes the file is not a part of its form.
  const excluded = rule.field.oneof?.fields ?? [rule.field];
  const readParts = createTextFieldsReader(
    input.fields.filter(
      (field) => !route.bound.has(field.name) && !fileFields.has(field.name) && !excluded.includes(field),
    ),
    route.bound,
  );
  // The message that describes the file: the request itself, or the message in its upload field.
  const holder = streaming ? input : (rule.field.message ?? input);
  const named = (name: string): DescField => findField(holder, name) as DescField;
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
        if (name !== filenameParameter)
          violations.push({ field: memberPath("", name), message: "is not a parameter of this request" });
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
      for (const field of query === "" ? [] : queryNames(query))
        violations.push({ field, message: "is not a parameter of this request" });
      const values = readParts(parts);
      if (values.ok) for (const [path, value] of values.value) setAtPath(message, path, value);
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

function queryNames(query: string): readonly string[] {
  const parameters = splitQuery(query);
  return parameters.ok
    ? parameters.value.map(([name]) => memberPath("", name))
    : parameters.violations.map(({ field }) => field);
}
