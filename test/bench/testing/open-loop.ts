/**
 * Sends requests at a fixed rate, whether or not earlier ones were answered, and prints the outcome as JSON. It runs in its own process. The
 * first argument is an `OpenLoop` as JSON. Latencies count from the time at which a request was due, so they include the wait for a free
 * connection of this client.
 */
import { createHash } from "node:crypto";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { parseResponse, toRequestBytes } from "./load.ts";

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
  readonly maxConnections: number;
}

/** What was received. */
export interface OpenLoopOutcome {
  /** How many requests were due, and how many of them found a free connection within the timeout of a client. */
  readonly due: number;
  readonly sent: number;
  /** The number of responses by status; 0 are connections that broke. */
  readonly statuses: Record<string, number>;
  readonly elapsedMs: number;
  /** Quantiles in milliseconds, of responses with 2xx and of refusals. */
  readonly answered: { p50: number; p99: number };
  readonly refused: { p50: number; p99: number };
  readonly bodyHashes: string[];
  readonly refusalsWithoutRetryAfter: number;
}

const clientTimeoutMs = 2_000;
const load = JSON.parse(process.argv[2] ?? "") as OpenLoop;
const statuses: Record<string, number> = {};
const durations: { answered: number[]; refused: number[] } = { answered: [], refused: [] };
const hashes = new Set<string>();
let [open, active, sent, refusalsWithoutRetryAfter] = [0, 0, 0, 0];
const free: Send[] = [];
const waiting: { due: number; number: number }[] = [];

type Send = (due: number, number: number) => void;

const fixed = load.body.includes("NUMBER")
  ? undefined
  : toRequestBytes(load.method, load.path, load.headers, load.body);

function toBytes(number: number): Buffer {
  return fixed ?? toRequestBytes(load.method, load.path, load.headers, load.body.replaceAll("NUMBER", String(number)));
}

function record(status: number, due: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
  const ms = performance.now() - due;
  if (status >= 200 && status < 300) durations.answered.push(ms);
  else if (status === 503 || status === 429) durations.refused.push(ms);
}

/** Opens a connection that serves one request after the other. */
function openConnection(): void {
  open += 1;
  let received = Buffer.alloc(0);
  let due: number | undefined;
  const socket: Socket = connect({ port: load.port, host: "127.0.0.1", noDelay: true });
  const send: Send = (at, number) => {
    due = at;
    active += 1;
    sent += 1;
    socket.write(toBytes(number));
  };
  socket.on("connect", () => offer(send));
  socket.on("error", () => undefined);
  socket.on("close", () => {
    open -= 1;
    const place = free.indexOf(send);
    if (place >= 0) free.splice(place, 1);
    if (due === undefined) return;
    active -= 1;
    record(0, due);
  });
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const response = parseResponse(received);
    if (response === undefined || due === undefined) return;
    record(response.status, due);
    if (response.status < 300 && load.method === "GET")
      hashes.add(createHash("sha256").update(response.body).digest("hex"));
    else if (response.status >= 300 && !/^retry-after: *[1-9]/im.test(received.toString("latin1", 0, 1_000)))
      refusalsWithoutRetryAfter += 1;
    due = undefined;
    active -= 1;
    received = Buffer.alloc(0);
    offer(send);
  });
}

function offer(send: Send): void {
  const next = waiting.shift();
  if (next === undefined) free.push(send);
  else send(next.due, next.number);
}

const begun = performance.now();
let due = 0;
const total = Math.round(load.perSecond * load.seconds);
while (due < total || active > 0 || (waiting.length > 0 && open > 0)) {
  const now = performance.now();
  for (; due < total && due < ((now - begun) * load.perSecond) / 1_000; due += 1) {
    const at = begun + (due * 1_000) / load.perSecond;
    const send = free.pop();
    if (send !== undefined) send(at, due);
    else waiting.push({ due: at, number: due });
  }
  while (waiting.length > 0 && now - (waiting[0]?.due ?? 0) > clientTimeoutMs) waiting.shift();
  for (let more = Math.min(waiting.length, load.maxConnections - open, 20); more > 0; more -= 1) openConnection();
  await new Promise((resolve) => setTimeout(resolve, 1));
}
const elapsedMs = performance.now() - begun;
console.log(
  JSON.stringify({
    ...{ due, sent, statuses, elapsedMs, refusalsWithoutRetryAfter, bodyHashes: [...hashes] },
    answered: getQuantiles(durations.answered),
    refused: getQuantiles(durations.refused),
  } satisfies OpenLoopOutcome),
);
process.exit(0);

function getQuantiles(values: number[]): { p50: number; p99: number } {
  values.sort((one, other) => one - other);
  const at = (part: number) => Math.round(values[Math.floor(values.length * part)] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}
