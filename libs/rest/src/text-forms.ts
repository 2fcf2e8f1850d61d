import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import {
  DurationSchema,
  FieldMaskSchema,
  isWrapperDesc,
  TimestampSchema,
  type Duration,
  type FieldMask,
} from "@bufbuild/protobuf/wkt";
import { setField } from "./field-names.ts";
import { parseTimestamp, printTimestamp, type TimestampParts } from "@switchyard/text";

/** The form of a message whose JSON is a string. */
export interface TextForm {
  /** Returns undefined if the text is not valid. */
  parse(text: string): unknown;
  print(message: unknown): string;
  /** What is expected, for an error message. */
  readonly expected: string;
}

const maxDurationSeconds = 315_576_000_000n;

const forms: ReadonlyMap<string, TextForm> = new Map<string, TextForm>([
  [
    TimestampSchema.typeName,
    {
      parse: (text) => {
        const parts = parseTimestamp(text);
        return parts === undefined ? undefined : create(TimestampSchema, parts);
      },
      print: (message) => printTimestamp(message as TimestampParts),
      expected: "must be a time such as 2026-01-31T12:00:00.000Z",
    },
  ],
  [
    DurationSchema.typeName,
    {
      parse: parseDuration,
      print: (message) => printDuration(message as Duration),
      expected: "must be a duration in seconds such as 1.5s",
    },
  ],
  [
    FieldMaskSchema.typeName,
    {
      parse: parseFieldMask,
      print: (message) => printFieldMask(message as FieldMask),
      expected: "must be names of fields, separated by commas",
    },
  ],
]);

/** Returns the text form of a message: of Timestamp, Duration and FieldMask. Undefined for other messages. */
export function getTextForm(descriptor: DescMessage): TextForm | undefined {
  return forms.get(descriptor.typeName);
}

/** Whether a field is a wrapper (google.protobuf.StringValue) that generated messages represent by its value. In lists and oneofs it is not. */
export function isUnwrapped(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && field.oneof === undefined && isWrapperDesc(field.message);
}

/** Creates a wrapper (google.protobuf.StringValue) of a value. */
export function wrap(descriptor: DescMessage, value: unknown): Message {
  const wrapper = create(descriptor);
  setField(wrapper, descriptor.fields[0] as DescField, value);
  return wrapper;
}

/** Whether a singular value can be written as a text, in a path or a query. */
export function hasTextForm(field: DescField): boolean {
  if (field.fieldKind === "message") return isWrapperDesc(field.message) || getTextForm(field.message) !== undefined;
  return field.fieldKind === "scalar" || field.fieldKind === "enum";
}

function parseDuration(text: string): Duration | undefined {
  const match = /^(-?)(0|[1-9]\d{0,11})(?:\.(\d{1,9}))?s$/.exec(text);
  if (match === null) return undefined;
  const [, minus, whole = "", fraction = ""] = match;
  const seconds = BigInt(whole);
  if (seconds > maxDurationSeconds) return undefined;
  const nanos = Number(fraction.padEnd(9, "0"));
  // Both parts have the sign. Not -0, which a test distinguishes from 0.
  return create(DurationSchema, minus === "-" ? { seconds: -seconds, nanos: 0 - nanos } : { seconds, nanos });
}

function printDuration({ seconds, nanos }: Duration): string {
  const minus = seconds < 0n || nanos < 0 ? "-" : "";
  const digits = String(Math.abs(nanos)).padStart(9, "0");
  const fraction = nanos === 0 ? "" : `.${digits.replace(/(?:000){1,2}$/, "")}`;
  return `${minus}${seconds < 0n ? -seconds : seconds}${fraction}s`;
}

function parseFieldMask(text: string): FieldMask | undefined {
  if (text === "") return create(FieldMaskSchema);
  const name = /^[a-zA-Z][a-zA-Z0-9]*(?:\.[a-zA-Z][a-zA-Z0-9]*)*$/;
  const paths = text.split(",");
  if (!paths.every((path) => name.test(path))) return undefined;
  return create(FieldMaskSchema, {
    paths: paths.map((path) => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  });
}

function printFieldMask({ paths }: FieldMask): string {
  return paths.map((path) => path.replace(/_(.)/g, (_underscore, letter: string) => letter.toUpperCase())).join(",");
}
