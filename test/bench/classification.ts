// Measures how long the event loop is blocked while documents are classified by the largest classifiers. The bound applies to processor
// time, which does not depend on the load of the machine.
import { createClassifierScorers } from "@switchyard/classifier/testing/scoring";
import { startTestDatabase } from "@switchyard/storage/testing";

const routes = 200;
const examplesEach = 20;
const exampleCharacters = 2_000;
const documents = 50;
const maxWorkMs = 50;

/** Park and Miller's generator, so that every run scores the same texts. */
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

/** The longest iterations of the event loop. */
interface Stall {
  /** The elapsed time, which includes other processes. */
  delayMs: number;
  /** The processor time of this thread between two calls of a timer. */
  workMs: number;
}

/** Does work while the event loop is monitored. */
async function watched(name: string, work: () => Promise<unknown>): Promise<boolean> {
  const started = performance.now();
  const { delayMs, workMs } = await measureLongestStall(work);
  const took = performance.now() - started;
  console.log(
    `  ${name.padEnd(44)} ${took.toFixed(0)} ms; the event loop worked for ${workMs.toFixed(0)} ms at most, ` +
      `and was late by ${delayMs.toFixed(0)} ms`,
  );
  if (workMs > maxWorkMs) console.error(`  too long: more than ${maxWorkMs} ms`);
  return workMs <= maxWorkMs;
}

async function measureLongestStall(work: () => Promise<unknown>): Promise<Stall> {
  const resolution = 5;
  const longest: Stall = { delayMs: 0, workMs: 0 };
  let [time, used] = [performance.now(), process.threadCpuUsage()];
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(used);
    const now = performance.now();
    longest.delayMs = Math.max(longest.delayMs, now - time - resolution);
    longest.workMs = Math.max(longest.workMs, (user + system) / 1_000);
    [time, used] = [now, process.threadCpuUsage()];
  }, resolution);
  await work();
  await new Promise((resolve) => setTimeout(resolve, 50));
  clearInterval(timer);
  return longest;
}

/** Documents by a classifier of 200 routes with 20 examples of 2,000 characters each: no iteration of the event loop takes more than 50 ms. */
export async function measure(): Promise<boolean> {
  const text = createTexts();
  const database = await startTestDatabase({ ownThread: true });
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
