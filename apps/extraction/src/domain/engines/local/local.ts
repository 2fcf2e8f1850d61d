import type { ExtractionEngine } from "../engine.ts";
import { extractTables } from "./extract.ts";
import type { Learned } from "./learning/learn.ts";
import { engine } from "./version.ts";

/** The engine that decides by rules and by what it learned from accepted files. It asks nobody, and costs nothing. */
export const local = {
  ...engine,
  prepare: () => [],
  extract: ({ text, configuration, knowledge }) => extractTables(text, configuration, knowledge),
} as const satisfies ExtractionEngine<Learned> & { name: string };
