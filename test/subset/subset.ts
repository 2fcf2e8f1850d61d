import type { CommandShape } from "./features.ts";

/** A line that a process of a test run recorded: the first command of a client, or a new shape of commands. */
export type Note = CommandShape | { readonly client: string; readonly by: "test" | "service" };

/** The features of MongoDB that are allowed: the names in each section of features. */
export type Subset = ReadonlyMap<string, ReadonlySet<string>>;

/** Lists the features of a shape that are not in the subset. */
export function featuresOutside(shape: CommandShape, subset: Subset): string[] {
  return shape.features.filter((feature) => {
    const [section = "", ...name] = feature.split(" ");
    return subset.get(section)?.has(name.join(" ")) !== true;
  });
}

/** A summary of the commands of a run, and the faults in them. */
export interface Findings {
  readonly summary: string;
  readonly faults: readonly string[];
}

/** Databases of services that every run of whole systems uses. */
const services = ["configuration", "extraction", "classifier", "benchmark"];
/** The number of shapes that the main path alone sends. */
const fewShapes = 50;

/** Compares the commands of a run with the subset. A run of whole systems must have commands of each service, also in its own process. */
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
    if (shapes.size < fewShapes) faults.push(`only ${shapes.size} shapes were recorded, so commands are missing`);
    for (const by of ["test", "service"] as const) {
      const seen = new Set(clients.filter((note) => note.by === by).map(({ client }) => client));
      const missing = services.filter((name) => !seen.has(`switchyard_${name}`));
      if (missing.length > 0) faults.push(`no command of ${missing.join(", ")} was recorded in a ${by}'s process`);
    }
  }
  const verdict = faults.length === 0 ? "all within the subset" : "not all within the subset";
  return { summary: `${shapes.size} shapes of commands from ${clients.length} clients, ${verdict}`, faults };
}
