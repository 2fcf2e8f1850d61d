import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The environment variable that names the folder of what is sent; without it nothing is noted. */
export const sentCommandsFolder = "SWITCHYARD_SENT_COMMANDS";

/** Arguments of Node.js for a process whose commands to databases are to be noted; none where no test run asks for it. */
export function monitoring(environment: NodeJS.ProcessEnv = process.env): string[] {
  if (environment[sentCommandsFolder] === undefined) return [];
  return ["--import", pathToFileURL(join(import.meta.dirname, "monitoring.ts")).href];
}
