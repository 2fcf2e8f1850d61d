/** A JSON Schema, as in an OpenAPI 3.1 document. */
export type JsonSchema = Readonly<Record<string, any>>;

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const checked: readonly string[] = [
  ...["$ref", "type", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf"],
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "pattern", "format"],
  ...["description", "example", "default", "contentEncoding", "title"],
];

/**
 * Returns how a JSON value differs from a schema of an OpenAPI document, and nothing if it does not differ. Members that the schema does
 * not describe are differences. Throws if the schema has a keyword that is not checked here.
 */
export function findDifferences(value: unknown, schema: JsonSchema, document: JsonSchema, at = "body"): string[] {
  const unknown = Object.keys(schema).filter((keyword) => !checked.includes(keyword));
  if (unknown.length > 0) throw new Error(`${at}: the keywords ${unknown.join()} of the schema are not checked`);
  if (typeof schema["$ref"] === "string")
    return findDifferences(value, resolve(schema["$ref"], document), document, at);
  if (Array.isArray(schema["anyOf"])) {
    const all = schema["anyOf"].map((one: JsonSchema) => findDifferences(value, one, document, at));
    return all.some((differences) => differences.length === 0) ? [] : (all[0] ?? []);
  }
  const types = [schema["type"] ?? []].flat() as string[];
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return [`${at} is ${JSON.stringify(value)?.slice(0, 80)} instead of ${types.join(" or ")}`];
  }
  if ("enum" in schema && !schema["enum"].includes(value))
    return [`${at} is ${JSON.stringify(value)}, outside its enum`];
  if ("const" in schema && schema["const"] !== value) return [`${at} is not ${JSON.stringify(schema["const"])}`];
  if (typeof value === "string") return differencesOfText(value, schema, at);
  if (typeof value === "number") return differencesOfNumber(value, schema, at);
  if (Array.isArray(value)) {
    const { items = {} } = schema;
    return value.flatMap((element, index) => findDifferences(element, items, document, `${at}[${index}]`));
  }
  return typeof value === "object" && value !== null ? differencesOfObject(value, schema, document, at) : [];
}

function differencesOfObject(value: object, schema: JsonSchema, document: JsonSchema, at: string): string[] {
  const { properties, required = [], additionalProperties } = schema;
  const missing = required
    .filter((name: string) => !Object.hasOwn(value, name))
    .map((name: string) => `${at}.${name} is missing`);
  const inner = Object.entries(value).flatMap(([name, member]) => {
    if (properties !== undefined && Object.hasOwn(properties, name)) {
      return findDifferences(member, properties[name], document, `${at}.${name}`);
    }
    if (typeof additionalProperties === "object") {
      return findDifferences(member, additionalProperties, document, `${at}.${name}`);
    }
    return properties === undefined || additionalProperties === true ? [] : [`${at}.${name} is not described`];
  });
  return [...missing, ...inner];
}

function differencesOfText(
  value: string,
  { pattern, format, minLength = 0, maxLength }: JsonSchema,
  at: string,
): string[] {
  const length = [...value].length;
  return [
    ...(pattern !== undefined && !new RegExp(pattern, "u").test(value) ? [`${at} does not match ${pattern}`] : []),
    ...(format === "date-time" && !dateTime.test(value) ? [`${at} is not a time: ${value}`] : []),
    ...(length < minLength || length > (maxLength ?? Infinity) ? [`${at} has ${length} characters`] : []),
  ];
}

function differencesOfNumber(
  value: number,
  { minimum = -Infinity, maximum = Infinity }: JsonSchema,
  at: string,
): string[] {
  return value < minimum || value > maximum ? [`${at} is ${value}, out of bounds`] : [];
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function resolve(reference: string, document: JsonSchema): JsonSchema {
  const found = reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<any>((place, step) => place?.[step], document);
  if (found === undefined) throw new Error(`${reference} does not exist`);
  return found;
}
