import type { z } from "zod";
import { warnOfUnknownNames } from "./known-names.ts";

/**
 * Reads environment variables by a schema; an empty variable counts as absent. Throws one error that names every variable with a
 * wrong value, and never the value: it may be a secret. Warns of variables that begin with SWITCHYARD_ and that no program reads, on
 * standard error unless told otherwise.
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
  const faults = result.error.issues.map(({ path, message }) => `  ${path.join(".")} ${message}`);
  throw new Error(`Wrong environment:\n${faults.join("\n")}`);
}
