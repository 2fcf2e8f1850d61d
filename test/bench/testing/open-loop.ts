/**
 * Sends requests at a fixed rate, whether or not earlier ones were answered, and prints the outcome as JSON. It runs in its own process. The
 * first argument is an `OpenLoop` as JSON. Latencies count from the time at which a request was due. If no connection of this client becomes
 * free within `maxLateMs` after that, the request is never sent, so a server that delays responses receives fewer. This client ignores
 * `Retry-After`. Some polite clients beside it send one request at a time, and wait for a second after a refusal.
 */
import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { toRequestBytes } from "./load.ts";
import { openRawClient } from "./raw-client.ts";
import type { RawClient, RawResponse } from "./raw-client.ts";

/** What is sent. */
export interface OpenLoop {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  /** The body of each request, in which `NUMBER` is replaced by the number of the request. */
  readonly body: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
  readonly politeClients: number;
}

/** The number of latencies and their quantiles in milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

/** What was received. */
export interface OpenLoopOutcome {
  readonly sent: number;
  /** The number of responses by status; 0 stands for broken connections and requests without a response. */
  readonly statuses: Record<string, number>;
  readonly elapsedMs: number;
  /** The latencies of 2xx responses, of refusals, and of refusals that polite clients received. */
  readonly answered: Latencies;
  readonly refused: Latencies;
  readonly politelyRefused: Latencies;
  readonly bodyHashes: string[];
  readonly refusalsWithoutRetryAfter: number;
}

const maxLateMs = 100;
/** How long the last responses may take. */
const maxWaitMs = 20_000;
const load = JSON.parse(process.argv[2] ?? "") as OpenLoop;
const statuses: Record<string, number> = {};
const latencies = { answered: [] as number[], refused: [] as number[], politelyRefused: [] as number[] };
const hashes = new Set<string>();
let [open, active, sent, refusalsWithoutRetryAfter] = [0, 0, 0, 0];
let lastBody = Buffer.alloc(0);
/** The free connections, as functions that send the request with a given number. */
const free: ((number: number) => void)[] = [];

const begun = performance.now();
const total = Math.round(load.perSecond * load.seconds);
const toDueTime = (number: number): number => begun + (number * 1_000) / load.perSecond;
/** The requests with numbers from `next` up to, but not including, `due` wait for a connection. */
let [next, due] = [0, 0];

const fixed = load.body.includes("NUMBER")
  ? undefined
  : toRequestBytes(load.method, load.path, load.headers, load.body);

function toBytes(number: number): Buffer {
  return fixed ?? toRequestBytes(load.method, load.path, load.headers, load.body.replaceAll("NUMBER", String(number)));
}

/** Counts a response, or a connection that broke, and returns whether it is a refusal. */
function record(response: RawResponse | undefined, dueAt: number, refusals = latencies.refused): boolean {
  const { status, body, hasRetryAfter } = response ?? { status: 0, body: lastBody, hasRetryAfter: false };
  statuses[status] = (statuses[status] ?? 0) + 1;
  const isRefusal = status === 503 || status === 429;
  if (isRefusal) {
    refusals.push(performance.now() - dueAt);
    if (!hasRetryAfter) refusalsWithoutRetryAfter += 1;
  } else if (status >= 200 && status < 300) {
    latencies.answered.push(performance.now() - dueAt);
    if (load.method === "GET" && !body.equals(lastBody)) {
      lastBody = Buffer.from(body);
      hashes.add(hash("sha256", lastBody));
    }
  }
  return isRefusal;
}

/** Opens a connection that serves one request after the other. */
function openConnection(): void {
  open += 1;
  let current: number | undefined;
  const send = (number: number): void => {
    current = number;
    active += 1;
    sent += 1;
    client.send(toBytes(number));
  };
  const end = (response: RawResponse | undefined): void => {
    if (current === undefined) return;
    record(response, toDueTime(current));
    current = undefined;
    active -= 1;
  };
  const client: RawClient = openRawClient(load.port, {
    ready: () => offer(send),
    responded(response) {
      end(response);
      offer(send);
    },
    closed() {
      open -= 1;
      end(undefined);
      const place = free.indexOf(send);
      if (place >= 0) free.splice(place, 1);
    },
  });
}

function offer(send: (number: number) => void): void {
  if (next < due) send(next++);
  else free.push(send);
}

/** Sends one request after the other, with pauses, until the load ends. Its requests have negative numbers. */
function startPoliteClient(id: number): void {
  let sentAt = 0;
  const send = async (pauseMs: number): Promise<void> => {
    await sleep(pauseMs);
    if (due >= total) return client.end();
    sentAt = performance.now();
    client.send(toBytes(-id - 1));
  };
  const client: RawClient = openRawClient(load.port, {
    ready: () => void send(Math.random() * 1_000),
    responded: (response) => void send(record(response, sentAt, latencies.politelyRefused) ? 1_000 : 100),
    closed: () => undefined,
  });
}

for (let id = 0; id < load.politeClients; id += 1) startPoliteClient(id);
const end = begun + load.seconds * 1_000 + maxWaitMs;
while (due < total || (active > 0 && performance.now() < end)) {
  for (let more = Math.min(load.connections - open, 20); more > 0 && due < total; more -= 1) openConnection();
  const now = performance.now();
  due = Math.min(total, Math.ceil(((now - begun) * load.perSecond) / 1_000));
  next = Math.max(next, Math.min(due, Math.floor(((now - begun - maxLateMs) * load.perSecond) / 1_000)));
  // Connections are used in turn, because the server closes those that are idle for several seconds.
  for (const send of free.splice(0, due - next)) send(next++);
  if (due >= total) next = due;
  await sleep(1);
}
const elapsedMs = performance.now() - begun;
if (active > 0) statuses[0] = (statuses[0] ?? 0) + active;
console.log(
  JSON.stringify({
    ...{ sent, statuses, elapsedMs, refusalsWithoutRetryAfter, bodyHashes: [...hashes] },
    answered: summarize(latencies.answered),
    refused: summarize(latencies.refused),
    politelyRefused: summarize(latencies.politelyRefused),
  } satisfies OpenLoopOutcome),
);
process.exit(0);

function summarize(values: number[]): Latencies {
  values.sort((one, other) => one - other);
  const at = (part: number) => Math.round(values[Math.floor(values.length * part)] ?? 0);
  return { count: values.length, p50: at(0.5), p99: at(0.99) };
}
