import type { DescField } from "@bufbuild/protobuf";
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
) => Outcome<readonly (readonly [field: DescField, value: unknown])[]>;

/**
 * Compiles the reader of named texts for fields by their REST names. Unknown, empty and duplicate names, values of the wrong type, and a
 * second member of a oneof are violations that name the parameter. Fields without a text form are unknown.
 */
export function createTextFieldsReader(fields: readonly DescField[]): TextFieldsReader {
  const readers = new Map<string, readonly [DescField, TextReader]>();
  for (const field of fields) {
    const reader = createTextReader(field);
    if (reader !== undefined) readers.set(field.jsonName, [field, reader]);
  }
  return (parameters) => {
    const values: (readonly [DescField, unknown])[] = [];
    const violations: Violation[] = [];
    const seen = new Set<string>();
    const oneofs = new Set<string>();
    for (const [name, text] of parameters) {
      const known = readers.get(name);
      const field = memberPath("", name);
      if (name === "") violations.push({ field, message: "a parameter without a name" });
      else if (known === undefined) violations.push({ field, message: "is not a parameter of this request" });
      else if (seen.has(name)) violations.push({ field, message: "is given more than once" });
      else if (oneofs.has(known[0].oneof?.name ?? ""))
        violations.push({ field, message: "excludes another parameter that is given" });
      else {
        if (known[0].oneof !== undefined) oneofs.add(known[0].oneof.name);
        const outcome = known[1](text);
        if (outcome.ok) values.push([known[0], outcome.value]);
        else violations.push({ field, message: outcome.message });
      }
      seen.add(name);
    }
    return violations.length > 0 ? { ok: false, violations } : { ok: true, value: values };
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
