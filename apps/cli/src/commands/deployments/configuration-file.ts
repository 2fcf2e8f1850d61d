import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import type { Input } from "../../parsing/input.ts";
import { UsageError } from "../../terminal/exit-codes.ts";

/** Reads the JSON file that --configuration names; {} without it. */
export async function configurationOf({ io }: Context, input: Input): Promise<Record<string, unknown>> {
  const file = input.text("configuration");
  return file === undefined ? {} : readConfiguration(resolve(io.folder, file));
}

async function readConfiguration(path: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`${path} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new UsageError(`${path} is not a JSON object`);
}
