import { z } from "zod";
import { listBuiltInEngines } from "./built-in-engines.ts";

const price = z.number().min(0).max(1_000_000);

/** An engine in the operator's file. The names of its fields are the documented ones. */
export const engineSchema = z.strictObject({
  protocol: z.literal("openai").describe("The protocol of the endpoint"),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .refine(hasNoCredentials, "must not contain credentials: use apiKeyEnv")
    .describe("The address of the endpoint with the version, without credentials"),
  apiKeyEnv: z.string().min(1).optional().describe("The environment variable that contains the key"),
  models: z
    .array(z.string().trim().min(1).max(200))
    .min(1)
    .max(100)
    .refine(isDistinct, "must be distinct")
    .describe("The models that may be used; the first one is the default"),
  structuredOutput: z
    .enum(["json_schema", "json_object", "none"])
    .describe("How the endpoint is told the form of an answer"),
  images: z.boolean().default(false).describe("Whether the models take pictures of pages"),
  contextTokens: z
    .int()
    .min(1_000)
    .max(100_000_000)
    .optional()
    .describe("How many tokens a question and its answer may have together"),
  timeoutSeconds: z.number().min(1).max(3600).default(30).describe("How long a request may take"),
  parallel: z.int().min(1).max(1000).default(4).describe("How many requests are sent at the same time"),
  requestsPerMinute: z.int().min(1).max(1_000_000).optional().describe("How many requests are sent per minute"),
  inputPrice: price.optional().describe("The price of a million tokens that are sent"),
  outputPrice: price.optional().describe("The price of a million tokens that are received"),
  organizations: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("The IDs of the organizations that may use the engine; by default all"),
});

/** The operator's file: engines by their names. */
export const engineFileSchema = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "must be a name of letters, digits, '.', '_' and '-'")
    .refine((name) => !listBuiltInEngines().includes(name), "must not be that of an engine of Switchyard itself"),
  engineSchema,
);

/** Returns the file as a JSON schema for editors, as docs/engines.schema.json contains it. */
export function engineFileJsonSchema(): object {
  return { title: "The file of SWITCHYARD_ENGINES", ...z.toJSONSchema(engineFileSchema, { io: "input" }) };
}

function hasNoCredentials(url: string): boolean {
  const { username, password, search } = new URL(url);
  return username === "" && password === "" && search === "";
}

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
