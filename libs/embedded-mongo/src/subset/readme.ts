import { commandOptions, supportedFeatures } from "./subset.ts";

const begin = "<!-- Printed by `npm run generate`; do not edit. -->";
const end = "<!-- End of the printed part. -->";

/** Replaces the lists of supported features in the text of README.md. Throws if the markers around them are missing. */
export function replaceLists(readme: string): string {
  const [before, rest] = readme.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error("README.md lacks the markers of the printed part");
  return `${before}${begin}\n\n${printLists()}\n\n${end}${after}`;
}

/** Prints the supported features as Markdown. */
function printLists(): string {
  const { general, readConcern, writeConcern, commands, updates, deletes, indexes, cursor } = commandOptions;
  const list = (section: string): string => toCode(supportedFeatures.get(section) ?? []);
  return [
    `- **Commands**, each with its own options:`,
    ...[...commands].map(([name, fields]) => `  - \`${name}\`${fields.length > 0 ? `: ${toCode(fields)}` : ""}`),
    `- **Options of every command**: ${toCode(general)}. In a read concern: ${toCode(readConcern)}. In a write concern: ${toCode(writeConcern)}.`,
    `- **Options of statements**: in \`updates\`: ${toCode(updates)}; in \`deletes\`: ${toCode(deletes)}; in \`indexes\`: ${toCode(indexes)}; in \`cursor\`: ${toCode(cursor)}.`,
    `- **Query**: equality, ${list("query")}.`,
    `- **Update**: ${list("update")}.`,
    `- **Projection**: ${list("projection")}.`,
    `- **Sort**: ${list("sort")}.`,
    `- **Aggregation stages**: ${list("stage")}, each once and in this order. Accumulators: ${list("accumulator")}.`,
    `- **Indexes**: ${list("index")}.`,
    `- **Types**: ${list("type")}.`,
  ].join("\n");
}

function toCode(names: Iterable<string>): string {
  return [...names].map((name) => `\`${name}\``).join(" ");
}
