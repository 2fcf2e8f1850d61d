export { renderView, renderPlainView } from "./rendering.ts";
export type { RenderedView, TerminalStyle } from "./rendering.ts";
export { printable, printableJson } from "./printable.ts";
export { cellText, fields, table } from "./view.ts";
export type { Cell, Column, Fields, Table, View } from "./view.ts";
