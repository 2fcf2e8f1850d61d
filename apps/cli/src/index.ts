export { commands } from "./commands/index.ts";
export type { Io, Output } from "./terminal/io.ts";
export { run } from "./run.ts";
export { documentExtensions } from "./documents/document-formats.ts";
