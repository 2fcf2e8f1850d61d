import type { Command } from "../../parsing/command.ts";
import { classifierCommands } from "./classifiers.ts";
import { classifyRun } from "./classify-run.ts";
import { qualityCommand } from "./quality.ts";
import { resultsCommand } from "./results.ts";
import { reviewCommands } from "./reviews.ts";
import { routeCommands } from "./routes.ts";

/** The commands for classifiers, their routes and their records. */
export const classifyCommands: readonly Command[] = [
  ...classifierCommands,
  ...routeCommands,
  classifyRun,
  resultsCommand,
  ...reviewCommands,
  qualityCommand,
];
