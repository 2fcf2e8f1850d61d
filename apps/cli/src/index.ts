export type { Command } from "./command.ts";
export { commands } from "./commands/index.ts";
export { exitCodes } from "./exit-codes.ts";
export type { Io, Output } from "./io.ts";
export { run } from "./run.ts";
export { documentEndings } from "./document-formats.ts";
