import type { CommandShape } from "./features.ts";

/** A line of what the processes of a test run noted: a client that sent its first command, or a new shape of commands. */
export type Note = CommandShape | { readonly client: string; readonly by: "test" | "service" };

/** What of MongoDB may be used: for every section of features, the names in it. */
export type Subset = ReadonlyMap<string, ReadonlySet<string>>;

/** Which list of the page names the features of a section; `from` and `to` cut a part out of one. */
const lists: readonly { section: string; list: string; from?: string; to?: string }[] = [
  { section: "command", list: "Commands" },
  { section: "option", list: "Options" },
  { section: "query", list: "Query" },
  { section: "update", list: "Update" },
  { section: "projection", list: "Projection" },
  { section: "sort", list: "Sort" },
  { section: "stage", list: "Aggregation", to: "Expressions" },
  { section: "expression", list: "Aggregation", from: "Expressions", to: "Accumulators" },
  { section: "accumulator", list: "Aggregation", from: "Accumulators" },
  { section: "index", list: "Indexes" },
  { section: "type", list: "Types" },
];

/** Reads the subset from the lists of a page, each an item that begins with its name in bold. Throws where one is missing. */
export function readSubset(page: string): Subset {
  return new Map(
    lists.map(({ section, list, from, to }) => {
      const item = new RegExp(String.raw`^[-*] \*\*${list}\*\*:?([\s\S]*?)(?=\n[-*] |\n\n|\n#|$(?![\s\S]))`, "m").exec(
        page,
      );
      let text = item?.[1] ?? "";
      if (from !== undefined) text = text.slice(text.indexOf(from) + from.length || text.length);
      if (to !== undefined && text.includes(to)) text = text.slice(0, text.indexOf(to));
      const names = text.split(/[\s,;:()`".]+/).filter((name) => name !== "");
      if (names.length === 0) throw new Error(`The page has no list "${list}" with names of the section ${section}`);
      return [section, new Set(names)];
    }),
  );
}

/** What of a shape the subset has not. */
export function featuresOutside(shape: CommandShape, subset: Subset): string[] {
  return shape.features.filter((feature) => {
    const [section = "", ...name] = feature.split(" ");
    return subset.get(section)?.has(name.join(" ")) !== true;
  });
}

/** What a run sent, in a sentence, and what is wrong with it. */
export interface Findings {
  readonly summary: string;
  readonly faults: readonly string[];
}

/** Databases of services that a run of whole systems cannot leave out. */
const services = ["configuration", "extraction", "classifier", "benchmark"];
/** As many kinds of commands the main path alone sends. */
const fewShapes = 50;

/** Holds what a run sent against the subset; one that ran whole systems must have seen each service, in its own process too. */
export function examine(notes: readonly Note[], subset: Subset, ranSystems: boolean): Findings {
  const clients = notes.filter((note) => "client" in note);
  const shapes = new Map(notes.filter((note) => "command" in note).map((note) => [JSON.stringify(note), note]));
  const faults = [...shapes.values()].flatMap((shape) => {
    const outside = featuresOutside(shape, subset);
    return outside.length === 0
      ? []
      : [
          `a command ${shape.command} uses ${outside.join(", ")}, outside of the subset; whole: ${shape.features.join(", ")}`,
        ];
  });
  if (ranSystems) {
    if (shapes.size < fewShapes) faults.push(`only ${shapes.size} shapes were seen: something is not looked at`);
    for (const by of ["test", "service"] as const) {
      const seen = new Set(clients.filter((note) => note.by === by).map(({ client }) => client));
      const missing = services.filter((name) => !seen.has(`switchyard_${name}`));
      if (missing.length > 0) faults.push(`no command was seen of ${missing.join(", ")} in a ${by}'s process`);
    }
  }
  const verdict = faults.length === 0 ? "all within the subset" : "not all within the subset";
  return { summary: `${shapes.size} shapes of commands from ${clients.length} clients, ${verdict}`, faults };
}
