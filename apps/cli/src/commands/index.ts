import type { Command } from "../parsing/command.ts";
import { apiCommand } from "./api.ts";
import { benchmarkCommands } from "./benchmarks.ts";
import { classifyCommands } from "./classify.ts";
import { deploymentCommands } from "./deployments.ts";
import { documentCommands } from "./documents.ts";
import { sessionCommands } from "./session.ts";

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  ...classifyCommands,
  ...deploymentCommands,
  ...documentCommands,
  ...benchmarkCommands,
  ...sessionCommands,
  apiCommand,
];
