/**
 * Loaded first into a process with `node --import`: adds the engines of the folder `shouting` by one line in the list of engines of extractions,
 * and one in that of classifications. The names that were generated then are read from the folder that THIRD_ENGINE_NAMES names. Plain
 * JavaScript, so that it needs no other modules.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { basename } from "node:path";

const lists = [
  ["apps/extraction/src/domain/engines/engines.ts", "extraction"],
  ["apps/classifier/src/domain/engines/engines.ts", "classification"],
];
const names = process.env.THIRD_ENGINE_NAMES;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const [, kind] = lists.find(([path]) => url.endsWith(path)) ?? [];
    if (kind !== undefined) {
      const before = String(loaded.source);
      const after = before.replace("new Map([])", 'new Map([["shouting", shouting]])');
      if (after === before) throw new Error(`${url} has no list of further engines`);
      const engine = new URL(`./shouting/${kind}.ts`, import.meta.url).href;
      return { ...loaded, source: `import { shouting } from ${JSON.stringify(engine)};\n${after}` };
    }
    if (names !== undefined && url.includes("/libs/engines/src/gen/")) {
      return { ...loaded, source: readFileSync(`${names}/${basename(url)}`, "utf8") };
    }
    return loaded;
  },
});
