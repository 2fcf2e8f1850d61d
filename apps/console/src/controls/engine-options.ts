import type { EngineDescription } from "@switchyard/client";

/** An engine and one of its models, as settings name them. */
export interface NamedEngine {
  readonly engine: string;
  /** Null for the first model of the engine, and for the local engine. */
  readonly modelName: string | null;
}

/** An entry of a choice of engines. */
export interface EngineOption {
  readonly value: string;
  readonly label: string;
}

/** The engine that is always available. */
export const localEngine = "local";

/** Returns the name of an engine and of its model for people. */
export function nameEngine({ engine, modelName }: NamedEngine): string {
  return modelName === null ? engine : `${engine}: ${modelName}`;
}

/** Returns the value that stands for an engine in a choice. */
export function toKey({ engine, modelName }: NamedEngine): string {
  return JSON.stringify([engine, modelName]);
}

/** Returns the engine that a value stands for. */
export function fromKey(key: string): NamedEngine {
  const [engine, modelName] = JSON.parse(key) as [string, string | null];
  return { engine, modelName };
}

/**
 * Lists the engines and their models. The one that is set is always among them, although the operator may have removed it. `first` says that
 * the first model of an engine is used, whichever it is.
 */
export function listOptions(
  engines: readonly EngineDescription[],
  set: NamedEngine | null,
  first: (engine: string) => string,
): EngineOption[] {
  const named = engines.flatMap(({ name, models }): NamedEngine[] => [
    { engine: name, modelName: null },
    ...models.map((modelName) => ({ engine: name, modelName })),
  ]);
  const isKnown = set === null || named.some((each) => toKey(each) === toKey(set));
  return [...named, ...(isKnown ? [] : [set])].map((each) => ({ value: toKey(each), label: toLabel(each, first) }));
}

function toLabel({ engine, modelName }: NamedEngine, first: (engine: string) => string): string {
  return modelName !== null || engine === localEngine ? nameEngine({ engine, modelName }) : first(engine);
}
