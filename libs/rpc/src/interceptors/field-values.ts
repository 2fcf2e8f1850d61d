import type { DescEnum, DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { Interceptor } from "@connectrpc/connect";
import { invalid, type Violation } from "../errors.ts";
import { createFieldDetector, isTimestamp, messageIn } from "./field-detector.ts";

/**
 * Creates a server interceptor that refuses requests with values, at any depth, that the binary format can carry but their type does not
 * have: a `google.protobuf.Timestamp` out of range, which dates of JavaScript and of the database cannot represent, and a number without a
 * value of its enum, which would be taken for an absent one. The error is InvalidArgument (`INVALID_REQUEST`), with a violation for each that
 * contains the JSON path of the field.
 */
export function fieldValueInterceptor(): Interceptor {
  const isChecked = createFieldDetector((field) => isTimestamp(messageIn(field)) || isCheckedEnum(field));
  function check(descriptor: DescMessage, message: Message): void {
    if (!isChecked(descriptor)) return;
    const violations = findViolations(reflect(descriptor, message), "", isChecked);
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
    if (request.stream)
      return next(isChecked(input) ? { ...request, message: checkEach(input, request.message) } : request);
    check(input, request.message);
    return next(request);
  };
}

/** Returns whether numbers of a field are checked. Those of `google.protobuf.Value` all mean null, and a request can have 100,000 of them. */
function isCheckedEnum(field: DescField): boolean {
  return field.enum?.open === true && field.enum.typeName !== "google.protobuf.NullValue";
}

// The years 1 to 9999, as the documentation of Timestamp specifies.
const [first, last] = [-62_135_596_800n, 253_402_300_799n];

function isTime({ seconds, nanos }: Pick<Timestamp, "seconds" | "nanos">): boolean {
  return seconds >= first && seconds <= last && nanos >= 0 && nanos <= 999_999_999;
}

function findViolations(
  message: ReflectMessage,
  path: string,
  isChecked: (message: DescMessage) => boolean,
): Violation[] {
  if (message.desc.typeName === TimestampSchema.typeName) {
    if (isTime(message.message as Timestamp)) return [];
    return [{ field: path, message: "must be a time of the years 1 to 9999, with 0 to 999,999,999 nanoseconds" }];
  }
  return message.fields.flatMap((field) => {
    const inner = messageIn(field);
    const isWanted = inner === undefined ? isCheckedEnum(field) : isTimestamp(inner) || isChecked(inner);
    if (!isWanted || !message.isSet(field)) return [];
    const own = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
    return getElements(message, field, own).flatMap(([element, at]) =>
      field.enum === undefined
        ? findViolations(element as ReflectMessage, at, isChecked)
        : findUnknownValue(field.enum, element as number, at),
    );
  });
}

function findUnknownValue({ value, values }: DescEnum, number: number, field: string): Violation[] {
  if (value[number] !== undefined) return [];
  // Zero stands for an absent value.
  const names = values.filter((each) => each.number !== 0).map(({ name }) => name);
  return [{ field, message: `must be one of ${names.join(", ")}, is ${number}` }];
}

/** Returns the values in a field, each with its path. */
function getElements(message: ReflectMessage, field: DescField, path: string): [unknown, string][] {
  if (field.fieldKind === "list")
    return [...message.get(field)].map((element, index) => [element, `${path}[${index}]`]);
  if (field.fieldKind === "map")
    return [...message.get(field)].map(([key, element]) => [element, `${path}.${String(key)}`]);
  return [[message.get(field), path]];
}
