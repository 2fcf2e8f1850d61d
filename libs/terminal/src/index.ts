export { renderView, renderPlainView } from "./rendering.ts";
export { printable, printableJson } from "./printable.ts";
export { fields, table } from "./view.ts";
export type { Cell, Column, Table, View } from "./view.ts";
