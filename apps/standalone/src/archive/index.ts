export { openArchive, writeArchive } from "./archive.ts";
export type { Archive, ArchivedCollection } from "./archive.ts";
export { importInto } from "./import.ts";
export type { ImportedCollection } from "./import.ts";
export { connectForTransfer, createServerSource } from "./source.ts";
export type { CollectionDescription, Source } from "./source.ts";
