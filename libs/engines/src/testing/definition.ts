import { parseEngineFile } from "../engine-file.ts";
import type { EngineDefinition } from "../engine-file.ts";

/**
 * Returns the definition of an engine for tests, `test` with the model `test-model`, whose endpoint has structured output. `fields` are those
 * of the operator's file that differ; `key` is the key of the endpoint.
 */
export function engineDefinition(
  baseUrl: string,
  { name = "test", key, ...fields }: { name?: string; key?: string; [field: string]: unknown } = {},
): EngineDefinition {
  const variable = key === undefined ? {} : { apiKeyEnv: "TEST_KEY" };
  const values = { protocol: "openai", baseUrl, models: ["test-model"], structuredOutput: "json_schema", ...variable };
  const [definition] = parseEngineFile(JSON.stringify({ [name]: { ...values, ...fields } }), { TEST_KEY: key });
  if (definition === undefined) throw new Error("The file has no engine.");
  return definition;
}
