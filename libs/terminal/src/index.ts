export { drawView, plainView } from "./draw.ts";
export type { Drawn, TerminalStyle } from "./draw.ts";
export { printable, printableJson } from "./printable.ts";
export { cellText, fields, table } from "./view.ts";
export type { Cell, Column, Fields, Table, View } from "./view.ts";
