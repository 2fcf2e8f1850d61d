export { isEqualPrepared, isEqualValue, matchCells, prepareValue } from "./cell-match.ts";
export type { CellMatch, Closeness, PreparedValue } from "./cell-match.ts";
export { getFittingTypes, isSameMatching } from "./column-matching.ts";
export type { ComparedColumn } from "./column-matching.ts";
export { computeSimilarity, prepareText } from "./edit-distance.ts";
export { isEmpty, toScalar } from "./scalar.ts";
export type { Scalar } from "./scalar.ts";
