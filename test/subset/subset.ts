import type { CommandShape } from "./features.ts";

/** A line of what the processes of a test run noted: a client that sent its first command, or a new shape of commands. */
export type Note = CommandShape | { readonly client: string; readonly by: "test" | "service" };

/** The features of MongoDB that may be used: for each section of features, the names in it. */
export type Subset = ReadonlyMap<string, ReadonlySet<string>>;

/** Lists the features of a shape that are not in the subset. */
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
  const outside = new Map<string, CommandShape[]>();
  for (const shape of shapes.values()) {
    for (const feature of featuresOutside(shape, subset)) {
      outside.set(feature, [...(outside.get(feature) ?? []), shape]);
    }
  }
  const faults = [...outside].map(
    ([feature, [first, ...others]]) =>
      `${feature} is sent, which is outside of the subset: in ${first?.command}, of ${first?.features.join(", ")}` +
      (others.length > 0 ? `; and in ${others.length} more shapes` : ""),
  );
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
