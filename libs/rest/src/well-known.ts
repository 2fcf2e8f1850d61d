import type { DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc, ListValueSchema, StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { ContractError } from "./field-names.ts";
import { getTextForm } from "./text-forms.ts";

// Types of google.protobuf whose JSON is not an object of their fields.
// A field of type Struct is a plain JSON object in generated code, but a message inside a Value.
const supported = [ValueSchema, ListValueSchema, StructSchema].map((schema) => schema.typeName as string);

/** Throws for types of google.protobuf that have no form in the REST profile. Empty is an ordinary message. */
export function assertSupported(descriptor: DescMessage): void {
  const { typeName } = descriptor;
  if (!typeName.startsWith("google.protobuf.") || typeName === "google.protobuf.Empty") return;
  if (!supported.includes(typeName) && getTextForm(descriptor) === undefined && !isWrapperDesc(descriptor))
    throw new ContractError(`${typeName} has no form in the REST profile`);
}
