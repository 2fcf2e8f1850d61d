import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The environment variable with the folder for recorded commands. If it is not set, nothing is recorded. */
export const sentCommandsFolder = "SWITCHYARD_SENT_COMMANDS";

/** Returns the arguments of Node.js that record the commands of a process to databases; none if recording is off. */
export function monitoring(environment: NodeJS.ProcessEnv = process.env): string[] {
  if (environment[sentCommandsFolder] === undefined) return [];
  return ["--import", pathToFileURL(join(import.meta.dirname, "monitoring.ts")).href];
}
