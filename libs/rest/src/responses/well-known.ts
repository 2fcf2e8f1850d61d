import type { DescMessage } from "@bufbuild/protobuf";
import {
  ListValueSchema,
  StructSchema,
  ValueSchema,
  type ListValue,
  type Struct,
  type Value,
} from "@bufbuild/protobuf/wkt";
import { getTextForm } from "../text-forms.ts";
import { assertSupported } from "../well-known.ts";

/** Creates the conversion of a well-known type to plain JSON; undefined for ordinary messages and wrappers. */
export function createWellKnownConverter(descriptor: DescMessage): ((message: unknown) => unknown) | undefined {
  assertSupported(descriptor);
  const form = getTextForm(descriptor);
  if (form !== undefined) return (message) => form.print(message);
  switch (descriptor.typeName) {
    case ValueSchema.typeName:
      return (message) => fromValue(message as Value);
    case ListValueSchema.typeName:
      return (message) => fromListValue(message as ListValue);
    case StructSchema.typeName:
      return (message) => message;
    default:
      return undefined;
  }
}

function fromValue(value: Value): unknown {
  switch (value.kind.case) {
    case "structValue":
      return fromStruct(value.kind.value);
    case "listValue":
      return fromListValue(value.kind.value);
    case "nullValue":
    case undefined:
      return null;
    default:
      return value.kind.value;
  }
}

function fromListValue(list: ListValue): unknown[] {
  return list.values.map(fromValue);
}

/** Every key becomes an own property. */
function fromStruct({ fields }: Struct): object {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, fromValue(value)] as const));
}
