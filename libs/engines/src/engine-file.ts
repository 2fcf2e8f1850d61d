import { readFileSync } from "node:fs";
import { z } from "zod";

const price = z.number().min(0).max(1_000_000);

/** An engine in the operator's file. The names of its fields are the documented ones. */
const definition = z.strictObject({
  protocol: z.literal("openai"),
  baseUrl: z.url({ protocol: /^https?$/ }).refine(hasNoCredentials, "must not contain credentials: use apiKeyEnv"),
  apiKeyEnv: z.string().min(1).optional(),
  models: z.array(z.string().trim().min(1).max(200)).min(1).max(100).refine(isDistinct, "must be distinct"),
  structuredOutput: z.enum(["json_schema", "json_object", "none"]),
  images: z.boolean().default(false),
  timeoutSeconds: z.number().min(1).max(3600).default(30),
  parallel: z.int().min(1).max(1000).default(4),
  requestsPerMinute: z.int().min(1).max(1_000_000).optional(),
  inputPrice: price.optional(),
  outputPrice: price.optional(),
  organizations: z.array(z.string().min(1)).min(1).optional(),
});

const file = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "must be a name of letters, digits, '.', '_' and '-'")
    .refine((name) => name !== "local", "must not be local, which is the engine of Switchyard itself"),
  definition,
);

/** An engine as the operator has configured it. */
export type EngineDefinition = z.output<typeof definition> & {
  readonly name: string;
  /** Returns the value of the variable `apiKeyEnv`. A function, so that the key is not printed with the definition. */
  readonly apiKey: () => string | undefined;
};

/**
 * Parses the operator's file of engines. Throws an error that names each invalid place of the file. A variable that is named as `apiKeyEnv`
 * must be set. The error contains no values.
 */
export function parseEngineFile(
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
): readonly EngineDefinition[] {
  const faults: string[] = [];
  const result = file.safeParse(parseJson(text));
  if (!result.success) throw invalid(result.error.issues.flatMap(describe));
  const definitions = Object.entries(result.data).map(([name, values]): EngineDefinition => {
    const key = values.apiKeyEnv === undefined ? undefined : variables[values.apiKeyEnv];
    if (values.apiKeyEnv !== undefined && !key) faults.push(`${name}.apiKeyEnv: the variable is not set`);
    if (key !== undefined && !/^[\x21-\x7e]*$/.test(key)) {
      faults.push(`${name}.apiKeyEnv: the value of the variable has characters that no key has`);
    }
    return { ...values, name, apiKey: () => key };
  });
  if (faults.length > 0) throw invalid(faults);
  return definitions;
}

/** Reads the file that SWITCHYARD_ENGINES names; without a name there are no engines. Throws an error that names the variable. */
export function readEngineFile(
  path: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): readonly EngineDefinition[] {
  if (path === undefined || path === "") return [];
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`SWITCHYARD_ENGINES: the file ${path} cannot be read (${code ?? "unknown error"})`, {
      cause: error,
    });
  }
  return parseEngineFile(text, variables);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser quotes the text, in which someone may have written a key.
    throw invalid(["it is not valid JSON"]);
  }
}

function describe(issue: z.core.$ZodIssue): string[] {
  const place = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => `${place}.${key}: unknown field`);
  if (issue.code === "invalid_key") {
    return issue.issues.map(({ message }) => `the name of an engine ${message}`);
  }
  return [place === "" ? issue.message : `${place}: ${issue.message}`];
}

function invalid(faults: readonly string[]): Error {
  return new Error(`SWITCHYARD_ENGINES: the file is invalid:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
}

function hasNoCredentials(url: string): boolean {
  const { username, password, search } = new URL(url);
  return username === "" && password === "" && search === "";
}

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
