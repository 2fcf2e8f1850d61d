import type { DescEnum, DescField, DescMessage, Message } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Interceptor } from "@connectrpc/connect";
import { invalid, type Violation } from "../errors.ts";
import { createWantedFields, isTimestamp, messageIn } from "../wanted-fields.ts";

/**
 * Creates a server interceptor that refuses requests with values, at any depth, that the binary format can carry but their type does not
 * have: a `google.protobuf.Timestamp` out of range, which dates of JavaScript and of the database cannot represent, and a number without a
 * value of its enum, which would be taken for an absent one. The error is InvalidArgument (`INVALID_REQUEST`), with a violation for each that
 * contains the JSON path of the field.
 */
export function fieldValueInterceptor(): Interceptor {
  const getCheckedFields = createWantedFields(isChecked);
  function check(descriptor: DescMessage, message: Message): void {
    if (getCheckedFields(descriptor).length === 0) return;
    const violations = findViolations(descriptor, message, getCheckedFields);
    if (violations.length > 0) throw invalid(violations);
  }
  async function* checkEach(descriptor: DescMessage, messages: AsyncIterable<Message>): AsyncGenerator<Message, void> {
    for await (const message of messages) {
      check(descriptor, message);
      yield message;
    }
  }
  return (next) => (request) => {
    const { input } = request.method;
    if (request.stream) {
      const hasCheckedFields = getCheckedFields(input).length > 0;
      return next(hasCheckedFields ? { ...request, message: checkEach(input, request.message) } : request);
    }
    check(input, request.message);
    return next(request);
  };
}

/** Returns whether a field is checked itself. Numbers of `google.protobuf.Value` all mean null, and a request can have 100,000 of them. */
function isChecked(field: DescField): boolean {
  if (isTimestamp(messageIn(field))) return true;
  return field.enum?.open === true && field.enum.typeName !== "google.protobuf.NullValue";
}

// A request can have a million values, so nothing is created for those that are valid.
function findViolations(
  descriptor: DescMessage,
  message: Message,
  getCheckedFields: (message: DescMessage) => readonly DescField[],
): Violation[] {
  const violations: Violation[] = [];
  /** The names, indices and keys on the way to the current value. */
  const path: (string | number)[] = [];
  const add = (text: string): void => void violations.push({ field: toJsonPath(path), message: text });

  function visitMessage(type: DescMessage, fields: Readonly<Record<string, unknown>>): void {
    for (const field of getCheckedFields(type)) {
      const value = getValue(field, fields);
      if (value === undefined) continue;
      path.push(field.jsonName);
      if (field.fieldKind === "list") {
        for (const [index, element] of (value as unknown[]).entries()) visitAt(index, field, element);
      } else if (field.fieldKind === "map") {
        for (const [key, element] of Object.entries(value as object)) visitAt(key, field, element);
      } else visitValue(field, value);
      path.pop();
    }
  }
  function visitAt(place: string | number, field: DescField, value: unknown): void {
    path.push(place);
    visitValue(field, value);
    path.pop();
  }
  function visitValue(field: DescField, value: unknown): void {
    const inner = messageIn(field);
    if (field.enum !== undefined) {
      if (field.enum.value[value as number] === undefined) add(describeUnknown(field.enum, value as number));
    } else if (isTimestamp(inner)) {
      if (!isTime(value as Timestamp)) add("must be a time of the years 1 to 9999, with 0 to 999,999,999 nanoseconds");
    } else if (inner !== undefined) visitMessage(inner, value as Readonly<Record<string, unknown>>);
  }
  visitMessage(descriptor, message);
  return violations;
}

/** Returns the value of a field of a message; undefined if it is not set. */
function getValue(field: DescField, message: Readonly<Record<string, unknown>>): unknown {
  if (field.oneof === undefined) return message[field.localName];
  const chosen = message[field.oneof.localName] as { case?: string; value?: unknown };
  return chosen.case === field.localName ? chosen.value : undefined;
}

// The years 1 to 9999, as the documentation of Timestamp specifies.
const [first, last] = [-62_135_596_800n, 253_402_300_799n];

function isTime({ seconds, nanos }: Pick<Timestamp, "seconds" | "nanos">): boolean {
  return seconds >= first && seconds <= last && nanos >= 0 && nanos <= 999_999_999;
}

function describeUnknown({ values }: DescEnum, number: number): string {
  // Zero stands for an absent value.
  const names = values.filter((each) => each.number !== 0).map(({ name }) => name);
  return `must be one of ${names.join(", ")}, is ${number}`;
}

/** Returns a path as it is written in an error, such as `columns[0].type`. */
function toJsonPath(path: readonly (string | number)[]): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");
}
