export type { Command } from "./parsing/command.ts";
export { commands } from "./commands/index.ts";
export { exitCodes } from "./terminal/exit-codes.ts";
export type { Io, Output } from "./terminal/io.ts";
export { run } from "./run.ts";
export { documentExtensions } from "./documents/document-formats.ts";
