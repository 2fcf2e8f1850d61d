import type { Command } from "../parsing/command.ts";
import { apiCommand } from "./api.ts";
import { benchmarkCommands } from "./benchmarks/benchmarks.ts";
import { comparisonCommands } from "./benchmarks/comparisons.ts";
import { benchmarkResultCommands } from "./benchmarks/results.ts";
import { classifyCommands } from "./classify/index.ts";
import { configurationCommands } from "./deployments/configurations.ts";
import { engineCommands } from "./deployments/engines.ts";
import { jobCommands } from "./deployments/jobs.ts";
import { modelCommands } from "./deployments/models.ts";
import { reviewPolicyCommands } from "./deployments/review-policies.ts";
import { acceptedValuesCommands } from "./documents/accepted-values.ts";
import { extractionCommands } from "./documents/extractions.ts";
import { fileCommands } from "./documents/files.ts";
import { valuesCommands } from "./documents/values.ts";
import { auditCommands } from "./identity/audit.ts";
import { projectActivityCommands } from "./classify/project-activity.ts";
import { projectCommands } from "./identity/projects.ts";
import { teamCommands } from "./identity/teams.ts";
import { tokenCommands } from "./identity/tokens.ts";
import { sessionCommands } from "./session.ts";

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  ...classifyCommands,
  ...modelCommands,
  ...configurationCommands,
  ...reviewPolicyCommands,
  ...jobCommands,
  ...engineCommands,
  ...projectCommands,
  ...projectActivityCommands,
  ...fileCommands,
  ...extractionCommands,
  ...acceptedValuesCommands,
  ...valuesCommands,
  ...benchmarkCommands,
  ...benchmarkResultCommands,
  ...comparisonCommands,
  ...tokenCommands,
  ...teamCommands,
  ...auditCommands,
  ...sessionCommands,
  apiCommand,
];
