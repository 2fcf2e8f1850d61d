import type { Warning } from "@switchyard/client";

/** Formats the warnings of a record as fields of its view; empty if there are none. */
export function warningFields({ warnings }: { readonly warnings: readonly Warning[] }) {
  return warnings.map(({ message }) => ["warning", message] as const);
}
