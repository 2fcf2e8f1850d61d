import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { Interceptor } from "@connectrpc/connect";
import { invalid, type Violation } from "../errors.ts";

/**
 * Creates a server interceptor that refuses requests with an out-of-range `google.protobuf.Timestamp` at any depth: InvalidArgument
 * (`INVALID_REQUEST`), with a violation for each that contains the JSON path of the field. The binary format can carry any number of
 * seconds and nanoseconds, which dates of JavaScript and of the database cannot.
 */
export function timestampInterceptor(): Interceptor {
  const containsTimestamp = createTimestampDetector();
  function check(descriptor: DescMessage, message: Message): void {
    if (!containsTimestamp(descriptor)) return;
    const violations = findViolations(reflect(descriptor, message), "", containsTimestamp);
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
      return next(containsTimestamp(input) ? { ...request, message: checkEach(input, request.message) } : request);
    check(input, request.message);
    return next(request);
  };
}

// The years 1 to 9999, as the documentation of Timestamp specifies.
const [first, last] = [-62_135_596_800n, 253_402_300_799n];

function isTime({ seconds, nanos }: Pick<Timestamp, "seconds" | "nanos">): boolean {
  return seconds >= first && seconds <= last && nanos >= 0 && nanos <= 999_999_999;
}

function findViolations(
  message: ReflectMessage,
  path: string,
  containsTimestamp: (message: DescMessage) => boolean,
): Violation[] {
  if (message.desc.typeName === TimestampSchema.typeName) {
    if (isTime(message.message as Timestamp)) return [];
    return [{ field: path, message: "must be a time of the years 1 to 9999, with 0 to 999,999,999 nanoseconds" }];
  }
  return message.fields.flatMap((field) => {
    const inner = messageIn(field);
    if (inner === undefined || !containsTimestamp(inner) || !message.isSet(field)) return [];
    const own = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
    return getElements(message, field, own).flatMap(([element, at]) => findViolations(element, at, containsTimestamp));
  });
}

/** Returns the messages in a field, each with its path. */
function getElements(message: ReflectMessage, field: DescField, path: string): [ReflectMessage, string][] {
  if (field.fieldKind === "list")
    return [...message.get(field)].map((element, index) => [element as ReflectMessage, `${path}[${index}]`]);
  if (field.fieldKind === "map")
    return [...message.get(field)].map(([key, element]) => [element as ReflectMessage, `${path}.${String(key)}`]);
  return [[message.get(field) as ReflectMessage, path]];
}

/** Returns the message type of a field, or of its elements or values. Undefined for scalars and enums. */
export function messageIn(field: DescField): DescMessage | undefined {
  return field.fieldKind === "scalar" || field.fieldKind === "enum" ? undefined : field.message;
}

/** Creates a function that returns whether a message type is a Timestamp or contains one at any depth. Results are cached. */
export function createTimestampDetector(): (message: DescMessage) => boolean {
  const known = new Map<DescMessage, boolean>();
  function contains(message: DescMessage, seen: Set<DescMessage>): boolean {
    if (message.typeName === TimestampSchema.typeName) return true;
    if (seen.has(message)) return false;
    seen.add(message);
    return message.fields.some((field) => {
      const inner = messageIn(field);
      return inner !== undefined && contains(inner, seen);
    });
  }
  return (message) => {
    const result = known.get(message) ?? contains(message, new Set());
    known.set(message, result);
    return result;
  };
}
