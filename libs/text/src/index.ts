export { changedFields } from "./changed-fields.ts";
export type { ChangedFields } from "./changed-fields.ts";
export { fieldChange, shortened } from "./field-change.ts";
export type { Json } from "./field-change.ts";
export { fold } from "./fold.ts";
export { characterCount, validateName, foldName, maxNameLength } from "./names.ts";
export type { Violation } from "./names.ts";
export { parseTimestamp, printTimestamp } from "./timestamp.ts";
export type { TimestampParts } from "./timestamp.ts";
