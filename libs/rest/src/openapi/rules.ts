import { getOption, hasOption, ScalarType, type DescField } from "@bufbuild/protobuf";
import { rule, type Rule } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import type { Schema } from "./schema.ts";

// The characters that `validateName` of @switchyard/text refuses: a name needs a visible character, and no control characters. Not all
// tools support \p{...}, so the pattern lists the invisible characters that occur in practice.
const controlCharacters = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069";
const invisibleCharacters =
  "\\s\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2060-\\u206f\\ue000-\\uf8ff\\ufeff\\ufff0-\\ufffb\\ufffe\\uffff";
const namePattern = `^[^${controlCharacters}]*[^${controlCharacters}${invisibleCharacters}][^${controlCharacters}]*$`;

/** Adds the rule of a field in the contract to its schema in requests. */
export function withRule(field: DescField, schema: Schema): Schema {
  if (!hasOption(field, rule)) return schema;
  const fieldRule = getOption(field, rule);
  const fallback = fieldRule.defaultValue === "" ? {} : { default: JSON.parse(fieldRule.defaultValue) as unknown };
  const texts = isText(field) ? toTextKeywords(fieldRule) : {};
  if (field.fieldKind !== "list") return { ...schema, ...texts, ...toNumberKeywords(fieldRule), ...fallback };
  const { minItems, maxItems, unique, required } = fieldRule;
  return {
    ...schema,
    items: { ...(schema["items"] as Schema), ...texts },
    ...(minItems > 0 || required ? { minItems: Math.max(1, minItems) } : {}),
    ...(maxItems > 0 ? { maxItems } : {}),
    ...(unique ? { uniqueItems: true } : {}),
  };
}

function isText(field: DescField): boolean {
  return field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES;
}

function toTextKeywords({ name, minLength, maxLength, pattern, oneOf, required }: Rule): Schema {
  if (name) return { minLength: 1, maxLength: 120, pattern: namePattern };
  if (oneOf.length > 0) return { enum: oneOf };
  return {
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength > 0 ? { maxLength } : {}),
    ...(pattern === "" ? {} : { pattern }),
    ...(required && minLength === 0 && pattern === "" ? { minLength: 1 } : {}),
  };
}

function toNumberKeywords({ minimum, maximum }: Rule): Schema {
  return { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
}
