import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What a load sends, and what it must receive. */
export interface Load {
  readonly port: number;
  /** The bytes of the nth request. */
  readonly toRequest: (n: number) => Buffer;
  readonly connections: number;
  readonly seconds: number;
  /** Whether all responses have the same body. */
  readonly isConstant: boolean;
  /** What may differ in bodies that are otherwise the same. */
  readonly mayDiffer?: RegExp;
  /** Checks the body of each response; throws if it is wrong. */
  readonly check?: (body: string) => void;
}

/** What was measured. */
export interface LoadResult {
  readonly perSecond: number;
  readonly medianMs: number;
  /** The processor time of the server per request, in microseconds. */
  readonly cpuMicros: number;
  /** The SHA-256 of the body, if all responses had the same. */
  readonly bodyHash: string;
}

/** Returns the bytes of an HTTP/1.1 request. */
export function toRequestBytes(method: string, path: string, headers: Record<string, string>, body = ""): Buffer {
  const length = body === "" ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const lines = Object.entries({ host: "127.0.0.1", ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

/**
 * Sends requests over several connections, each as soon as the previous one of its connection was answered, first for as long to warm up:
 * V8 compiles the code of a request for seconds, on threads whose processor time counts.
 * The client is a few lines over `node:net`, because `node:http` would take as much processor time as a server. Throws if a response is not
 * 2xx, or has another body than the others.
 */
export async function measureLoad(pid: number, load: Load): Promise<LoadResult> {
  await run(load);
  const before = await getCpuMicros(pid);
  const { durations, hashes, elapsedMs } = await run(load);
  const cpu = (await getCpuMicros(pid)) - before;
  const [bodyHash = "", ...others] = hashes;
  if (load.isConstant && others.length > 0) throw new Error("The responses have different bodies");
  durations.sort((one, other) => one - other);
  return {
    perSecond: (durations.length * 1_000) / elapsedMs,
    medianMs: durations[durations.length >> 1] ?? NaN,
    cpuMicros: cpu / durations.length,
    bodyHash,
  };
}

async function run({ port, toRequest, connections, seconds, isConstant, mayDiffer, check }: Load) {
  const durations: number[] = [];
  const hashes = new Set<string>();
  const begun = performance.now();
  const deadline = begun + seconds * 1_000;
  let sent = 0;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      let received = Buffer.alloc(0);
      let startedAt = 0;
      const next = () => {
        if (performance.now() >= deadline) return socket.end(resolve);
        startedAt = performance.now();
        return socket.write(toRequest((sent += 1)));
      };
      socket.on("connect", next);
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("The server closed a connection")));
      socket.on("data", (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const response = parseResponse(received);
        if (response === undefined) return;
        durations.push(performance.now() - startedAt);
        received = Buffer.alloc(0);
        try {
          if (response.status < 200 || response.status > 299)
            throw new Error(`The server responded with ${response.status}: ${response.body.toString()}`);
          const body = mayDiffer === undefined ? response.body : response.body.toString().replace(mayDiffer, "");
          if (isConstant) hashes.add(createHash("sha256").update(body).digest("hex"));
          check?.(response.body.toString());
          next();
        } catch (error) {
          socket.destroy();
          reject(error instanceof Error ? error : new Error("The check failed", { cause: error }));
        }
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  return { durations, hashes, elapsedMs: performance.now() - begun };
}

/** Parses a response with a Content-Length. Returns undefined while it is incomplete. */
export function parseResponse(bytes: Buffer): { status: number; body: Buffer } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1]);
  if (Number.isNaN(length)) throw new Error(`The response has no Content-Length:\n${head}`);
  if (bytes.length < end + 4 + length) return undefined;
  return { status: Number(head.slice(9, 12)), body: bytes.subarray(end + 4, end + 4 + length) };
}

/** Prints a result, with its ratio to a baseline of the same run. */
export function printLoad(name: string, result: LoadResult, floor?: LoadResult, ofFloor = "of the rate by hand"): void {
  const { perSecond, medianMs, cpuMicros } = result;
  const ratio = floor === undefined ? "" : `, ${(perSecond / floor.perSecond).toFixed(3)} ${ofFloor}`;
  console.log(
    `  ${name.padEnd(34)} ${perSecond.toFixed(0).padStart(6)} a second, ${medianMs.toFixed(1)} ms, ${cpuMicros.toFixed(0)} µs of processor time${ratio}`,
  );
}

/** Returns the processor time that a process has used, in microseconds. */
export async function getCpuMicros(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticksPerSecond = 100;
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
}

/** Binds all threads of a process to one processor, if the system has the command `taskset`. */
export function pin(pid: number, processor: number): void {
  try {
    execFileSync("taskset", ["-a", "-c", "-p", String(processor), String(pid)], { stdio: "ignore" });
  } catch {
    console.log("  (without taskset: the processes share all processors)");
  }
}

/** Waits until a server has nothing more to do. */
export const settle = (): Promise<void> => sleep(500);
