import { readFileSync } from "node:fs";
import type { z } from "zod";
import { engineFileSchema } from "./engine-file-schema.ts";
import type { engineSchema } from "./engine-file-schema.ts";

/** An engine as the operator has configured it. */
export type EngineDefinition = z.output<typeof engineSchema> & {
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
  const result = engineFileSchema.safeParse(parseJson(text));
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
