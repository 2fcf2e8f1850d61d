import type { FormatCallback } from "html-to-text";
import { formatNumber } from "../numerals.ts";

/**
 * Formats an ordered list. The formatter `orderedList` of html-to-text does the same, but throws for Roman numerals of 10,000 and more,
 * and prints "undefined" for those from 4,000.
 */
export const formatOrderedList: FormatCallback = (list, walk, builder) => {
  const { start = "", type = "" } = list.attribs as Record<string, string>;
  const nested = (list.parent as { name?: string } | null)?.name === "li";
  let next = firstNumber(start);
  const items = list.children
    .filter(({ type: kind, data = "" }) => kind !== "text" || data.trim() !== "")
    .map((node) => ({
      node,
      prefix: node.name === "li" ? `${nested ? "" : " "}${formatNumber(next++, type)}. ` : "",
    }));
  if (items.length === 0) return;
  const lineBreaks = nested ? 1 : 2;
  const maxPrefixLength = items.reduce((most, { prefix }) => Math.max(most, prefix.length), 0);
  builder.openList({ interRowLineBreaks: 1, leadingLineBreaks: lineBreaks, maxPrefixLength, prefixAlign: "left" });
  for (const { node, prefix } of items) {
    builder.openListItem({ prefix });
    walk([node], builder);
    builder.closeListItem();
  }
  builder.closeList({ trailingLineBreaks: lineBreaks });
};

function firstNumber(start: string): number {
  const number = Number.parseInt(start, 10);
  return Number.isSafeInteger(number) ? number : 1;
}
