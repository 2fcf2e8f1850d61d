import { z } from "zod";
import { readEngineFile } from "./engine-file.ts";
import type { EngineDefinition } from "./engine-file.ts";

/** The environment variable with the path of the operator's file. */
export const engineVariables = { SWITCHYARD_ENGINES: z.string().min(1).optional() };

/** Reads the file that the variable names, with the keys from `variables`. Throws as {@link readEngineFile} does. */
export function engineSettings(
  values: z.output<z.ZodObject<typeof engineVariables>>,
  variables: Readonly<Record<string, string | undefined>>,
): readonly EngineDefinition[] {
  return readEngineFile(values.SWITCHYARD_ENGINES, variables);
}
