import { mkdtemp, rm } from "node:fs/promises";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runProgram } from "../processes.ts";
import { createRest } from "../rest.ts";
import { getMemory, startDemoServer } from "./demo-server.ts";
import type { DemoServer } from "./demo-server.ts";
import type { Flood } from "./flood.ts";

type Attack = Omit<Flood, "port" | "milliseconds" | "token"> & {
  title: string;
  on: "HTTP" | "gRPC";
  authorized?: boolean;
};

const health = "/grpc.health.v1.Health/Check";
const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const classifying = "/api/v1/classify/CLASSIFIER";
const files = "/api/v1/projects/PROJECT/files?filename=flood.txt";
const unary = "/switchyard.classifier.v1.ClassifierService/ListClassifiers";
const uploading = "/switchyard.extraction.v1.ExtractionService/UploadFile";

const everyAttack: Attack[] = [
  { title: "4 x 10,000 half-open streams: health", on: "gRPC", kind: "half open", connections: 4, count: 10_000 },
  { title: "the same: reflection", on: "gRPC", kind: "half open", connections: 4, count: 10_000, path: reflection },
  { title: "the same: a method", on: "gRPC", kind: "half open", connections: 4, count: 10_000, path: unary },
  { title: "30 x 10,000 half-open streams", on: "gRPC", kind: "half open", connections: 30, count: 10_000 },
  { title: "2,000 silent connections", on: "HTTP", kind: "silent", connections: 2_000, count: 1 },
  { title: "2,000 silent connections", on: "gRPC", kind: "silent", connections: 2_000, count: 1 },
  { title: "2,000 connections of HTTP/2 without a request", on: "gRPC", kind: "preface", connections: 2_000, count: 1 },
  {
    title: "1,500 slow bodies, token",
    on: "HTTP",
    kind: "slow body",
    connections: 1_500,
    count: 1,
    path: classifying,
    authorized: true,
  },
  { title: "20 bodies of 37 MB", on: "HTTP", kind: "large body", connections: 20, count: 185_000, path: unary },
  { title: "20 messages of 37 MB", on: "gRPC", kind: "large message", connections: 20, count: 2_300, path: uploading },
  {
    ...{ title: "60 x 1,000 half-open streams, token", on: "gRPC", kind: "half open" },
    ...{ connections: 60, count: 1_000, path: uploading, authorized: true },
  },
  {
    ...{ title: "50 x 200 responses that are not read, token", on: "gRPC", kind: "unread" },
    ...{ connections: 50, count: 200, path: unary, authorized: true },
  },
  {
    ...{ title: "60 uploads of 20 MB, token", on: "HTTP", kind: "upload" },
    ...{ connections: 60, count: 540_000, path: files, authorized: true },
  },
  {
    ...{ title: "60 classifications of 20 MB, token", on: "HTTP", kind: "form" },
    ...{ connections: 60, count: 540_000, path: classifying, authorized: true },
  },
];
const fewAttacks: Attack[] = [
  { title: "4 x 1,000 half-open streams", on: "gRPC", kind: "half open", connections: 4, count: 1_000, path: health },
  { title: "200 silent connections", on: "HTTP", kind: "silent", connections: 200, count: 1 },
  {
    title: "200 slow bodies, token",
    on: "HTTP",
    kind: "slow body",
    connections: 200,
    count: 1,
    path: classifying,
    authorized: true,
  },
];

// With full counts each attack and the pause after it last a minute. Short counts only check that there are responses.
const long = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const counts = long
  ? { attacks: everyAttack, attackMs: 60_000, restMs: 60_000, p99Ms: 500, authorizedP99Ms: 2_000, environment: {} }
  : {
      attacks: fewAttacks,
      attackMs: 1_500,
      restMs: 0,
      p99Ms: 20_000,
      authorizedP99Ms: 20_000,
      environment: { SWITCHYARD_MAX_CONNECTIONS: "100" },
    };

interface Probed {
  ms: number;
  failure: string | undefined;
}

/** Sends requests at a fixed rate, without waiting for responses. `end` returns all outcomes. */
function startProbing(url: string, token: string | undefined, agent: Agent | false) {
  const asked: Promise<Probed>[] = [];
  const ask = (): Promise<Probed> => {
    const begun = performance.now();
    return new Promise((resolve) => {
      const finish = (failure?: string) => resolve({ ms: performance.now() - begun, failure });
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const fail = (failure: string) => {
        // On a busy machine a request may follow its connection so late that the connection is closed in favor of new ones. The
        // client then repeats the request.
        if (long || performance.now() - begun > 30_000) finish(failure);
        else setTimeout(send, 20);
      };
      const send = (): void => {
        const request = get(url, { agent, headers, timeout: 30_000 }, (response) => {
          response
            .resume()
            .once("end", () => (response.statusCode === 200 ? finish() : fail(`${response.statusCode}`)));
        })
          .on("error", (error: NodeJS.ErrnoException) => {
            // The server may close an idle connection just when it is reused. The documentation of Node.js recommends a retry.
            if (request.reusedSocket && error.code === "ECONNRESET") send();
            else fail(String(error));
          })
          .on("timeout", () => finish("no response within 30 s"));
      };
      send();
    });
  };
  const timer = setInterval(() => asked.push(ask()), 100);
  return {
    async end(): Promise<Probed[]> {
      clearInterval(timer);
      return Promise.all(asked);
    },
  };
}

function percentile(probed: readonly Probed[], share: number): number {
  const sorted = probed.map(({ ms }) => ms).sort((one, other) => one - other);
  return Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? Infinity);
}

let folder: string;
let server: DemoServer;
let agent: Agent;
let project: string;
let idleMemory: number | undefined;

describe("the server during a flood", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-floods-"));
    server = await startDemoServer(folder, counts.environment);
    agent = new Agent({ keepAlive: true });
    project = (await createRest(server.url, server.token).get("/api/v1/projects")).body.data[0].id;
    await sleep(counts.restMs / 4);
    idleMemory = (await getMemory(server.program.child.pid))?.now;
  });
  afterAll(async () => {
    agent?.destroy();
    await server?.program.end();
    await rm(folder, { recursive: true, force: true });
  });

  /** Probes the server over kept-alive and new connections while `attack` runs. */
  async function probed(attack: () => Promise<unknown>): Promise<{ open: Probed[]; rest: Probed[] }> {
    const rest = `${server.url}/api/v1/projects`;
    const probes = [agent, false as const].map((each) => ({
      open: startProbing(`${server.url}/healthz`, undefined, each),
      rest: startProbing(rest, server.token, each),
    }));
    await attack();
    const ends = async (name: "open" | "rest") => (await Promise.all(probes.map((probe) => probe[name].end()))).flat();
    return { open: await ends("open"), rest: await ends("rest") };
  }

  it.each(counts.attacks)(
    "serves other clients, and releases memory afterwards: $title ($on)",
    async ({ title, on, authorized = false, ...attack }) => {
      const flood: Flood = {
        ...attack,
        port: on === "HTTP" ? server.port : server.grpcPort,
        milliseconds: counts.attackMs,
        ...(attack.path === undefined
          ? {}
          : { path: attack.path.replace("CLASSIFIER", server.classifier).replace("PROJECT", project) }),
        ...(authorized ? { token: server.token } : {}),
      };
      const attacker = runProgram("test/faults/flood.ts", [JSON.stringify(flood)], {});
      await sleep(300);
      const { open, rest } = await probed(() => attacker.ended());
      expect(attacker.output()).toMatch(/\d+ connections opened/);

      await sleep(counts.restMs);
      const memory = await getMemory(server.program.child.pid);
      const failures = [...open, ...rest].flatMap(({ failure }) => failure ?? []);
      const figures = [open, rest].map((each) => `p99 ${percentile(each, 0.99)}, most ${percentile(each, 1)} ms`);
      if (long) {
        console.log(
          `${title} (${on}): healthz ${figures[0]}; REST ${figures[1]}; ${failures.length} of ${open.length + rest.length} failed; ` +
            `memory idle ${idleMemory}, most so far ${memory?.most}, after ${memory?.now} MiB; ${attacker.output().trim()}`,
        );
      }
      expect(failures).toEqual([]);
      // Callers with a token may use processor time, but must not exhaust the memory.
      const p99Ms = authorized ? counts.authorizedP99Ms : counts.p99Ms;
      expect(percentile(open, 0.99)).toBeLessThan(p99Ms);
      expect(percentile(rest, 0.99)).toBeLessThan(p99Ms);
      if (long && memory !== undefined && idleMemory !== undefined) expect(memory.now).toBeLessThan(2 * idleMemory);
      expect((await createRest(server.url, server.token).get("/api/v1/projects")).status).toBe(200);
    },
    counts.attackMs + counts.restMs + 120_000,
  );
});
