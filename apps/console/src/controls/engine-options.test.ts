import type { EngineDescription } from "@switchyard/client";
import { fromKey, listOptions, toKey } from "./engine-options.ts";

const description = (name: string, ...models: string[]) => ({ name, models }) as unknown as EngineDescription;
const first = (engine: string) => `${engine}, first model`;

describe("the choice of an engine", () => {
  it("lists every engine with its models, and what is set although it is gone", () => {
    const engines = [description("local"), description("office", "large", "small")];
    const labels = (set: Parameters<typeof listOptions>[1]) =>
      listOptions(engines, set, first).map(({ label }) => label);
    const all = ["local", "office, first model", "office: large", "office: small"];
    expect(labels(null)).toEqual(all);
    expect(labels({ engine: "office", modelName: "small" })).toEqual(all);
    expect(labels({ engine: "gone", modelName: "x" })).toEqual([...all, "gone: x"]);
  });

  it("gives back the engine that was chosen", () => {
    for (const engine of [
      { engine: "local", modelName: null },
      { engine: "office", modelName: "a:b/c" },
    ]) {
      expect(fromKey(toKey(engine))).toEqual(engine);
    }
  });
});
