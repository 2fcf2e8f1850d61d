import type { z } from "zod";
import { warnOfUnknownNames } from "./known-names.ts";

/**
 * Reads environment variables with a schema. An empty variable counts as absent. Throws a single error that names every variable with an
 * invalid value, but never the value, which may be a secret. Warns about unknown variables that begin with SWITCHYARD_, by default on
 * standard error.
 */
export function readEnvironment<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  variables: Readonly<Record<string, string | undefined>>,
  warn: (text: string) => void = (text) => void process.stderr.write(text),
): z.output<z.ZodObject<Shape>> {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  for (const warning of warnOfUnknownNames(given)) warn(`${warning}\n`);
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => `  ${path.join(".")} ${message}`);
  throw new Error(`Invalid environment variables:\n${issues.join("\n")}`);
}
