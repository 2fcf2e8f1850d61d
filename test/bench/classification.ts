// How long the event loop stands still while documents are classified by the largest classifiers.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createClassifierScorers } from "@switchyard/classifier/testing/scoring";
import { startTestDatabase } from "@switchyard/storage/testing";

const routes = 200;
const examplesEach = 20;
const exampleCharacters = 2_000;
const documents = 50;
const mostDelayMs = 50;

/** Park and Miller's generator: every run scores the same texts. */
function createTexts(): (characters: number) => string {
  let state = 20_240_229;
  const below = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit;
  const word = (): string => Array.from({ length: 1 + below(4) }, () => (below(400) + 36).toString(36)).join("");
  const vocabulary = Array.from({ length: 20_000 }, word);
  return (characters) => {
    const words: string[] = [];
    for (let length = 0; length < characters; length += words.at(-1)!.length + 1) {
      words.push(vocabulary[Math.floor((below(1_000) * below(1_000) * vocabulary.length) / 1_000_000)]!);
    }
    return words.join(" ").slice(0, characters);
  };
}

/** Does work while the event loop is watched. The floor is what the machine does to a process that only waits. */
async function watched(name: string, work: () => Promise<unknown>): Promise<boolean> {
  const floor = await longestDelay(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
  const started = performance.now();
  const delay = await longestDelay(work);
  const took = performance.now() - started;
  const most = Math.max(mostDelayMs, floor);
  console.log(
    `  ${name.padEnd(44)} ${took.toFixed(0)} ms; the event loop stood still for ${delay.toFixed(0)} ms at most (idle: ${floor.toFixed(0)} ms)`,
  );
  if (delay > most) console.error(`  too long: more than ${most.toFixed(0)} ms`);
  return delay <= most;
}

async function longestDelay(work: () => Promise<unknown>): Promise<number> {
  const resolution = 5;
  const histogram = monitorEventLoopDelay({ resolution });
  // The first interval begins with the next turn of the loop.
  await new Promise((resolve) => setTimeout(resolve, 50));
  histogram.enable();
  await work();
  await new Promise((resolve) => setTimeout(resolve, 50));
  histogram.disable();
  return Math.max(0, histogram.max / 1e6 - resolution);
}

/** Documents by a classifier of 200 routes with 20 examples of 2,000 characters each: no turn of the loop takes more than 50 ms. */
export async function measure(): Promise<boolean> {
  const text = createTexts();
  const database = await startTestDatabase();
  const scorers = await createClassifierScorers(
    database.uri,
    Array.from({ length: routes }, (_, index) => ({
      name: `Route ${String(index)}`,
      description: text(2_000),
      examples: Array.from({ length: examplesEach }, () => text(exampleCharacters)),
    })),
  );
  try {
    const document = (): string => text(1_000_000);
    const large = Array.from({ length: documents }, document);
    const outcomes = [
      await watched(`the first ${documents} documents, at once`, () => Promise.all(large.map(scorers.score))),
      await watched(`${documents} documents, one after the other`, async () => {
        for (const each of large) await scorers.score(each);
      }),
      await watched("a document after a change of one route", async () => {
        scorers.changeRoute(0, "another description");
        await scorers.score(large[0]!);
      }),
      await watched("a document after a change of all routes", async () => {
        for (let index = 0; index < routes; index++) scorers.changeRoute(index, `description ${index}`);
        await scorers.score(large[0]!);
      }),
    ];
    return outcomes.every((fine) => fine);
  } finally {
    await scorers.close();
    await database.close();
  }
}
