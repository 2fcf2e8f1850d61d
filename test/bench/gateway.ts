// Measures what a request costs through the whole server, next to servers written by hand.
import { create, toBinary } from "@bufbuild/protobuf";
import { ListClassifiersRequestSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoServer } from "../faults/demo-server.ts";
import { runProgram } from "../processes.ts";
import { createRest, made } from "../rest.ts";
import type { ConstantLists } from "./testing/gateway-alone.ts";
import { measureLoad, pin, printLoad, settle, toRequestBytes } from "./testing/load.ts";

const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? 5);
const connections = 32;
const routesEach = 3;

/** Creates a project with classifiers of three routes each, and returns the path that lists them. */
async function createList(rest: ReturnType<typeof createRest>, count: number): Promise<string> {
  const { id: projectId } = await made(rest.post("/api/v1/projects", { name: `List of ${count}` }));
  const targets: string[] = [];
  for (let each = 0; each < routesEach; each += 1) {
    const body = { name: `Model ${each}`, tables: [{ slug: "t", isPrimary: true }], columns: [{ slug: "a" }] };
    targets.push((await made(rest.post(`/api/v1/projects/${projectId}/deployments`, body))).id);
  }
  for (let each = 0; each < count; each += 1) {
    const { id } = await made(rest.post("/api/v1/classify", { projectId, name: `Classifier ${each}` }));
    for (const deploymentId of targets) await made(rest.post(`/api/v1/classify/${id}/routes`, { deploymentId }));
  }
  return `/api/v1/classify?projectId=${projectId}`;
}

/** Returns the list at a path as the gateway sends it as JSON, and as the classifier service sends it to the gateway. */
async function fetchList(
  url: string,
  path: string,
  token: string,
): Promise<[projectId: string, ConstantLists[string]]> {
  const authorization = `Bearer ${token}`;
  const projectId = new URL(path, url).searchParams.get("projectId") ?? "";
  const response = await fetch(`${url}/switchyard.classifier.v1.ClassifierService/ListClassifiers`, {
    method: "POST",
    headers: { authorization, "content-type": "application/proto" },
    body: toBinary(ListClassifiersRequestSchema, create(ListClassifiersRequestSchema, { projectId })),
  });
  const message = Buffer.from(await response.arrayBuffer()).toString("base64");
  const json = await (await fetch(`${url}${path}`, { headers: { authorization } })).text();
  return [projectId, { message, json }];
}

/** The gateway alone, whose services respond with constants in the same process, next to a `node:http` server with canned responses. */
async function measureAlone(file: string, paths: Readonly<Record<string, string>>): Promise<void> {
  const alone = runProgram("test/bench/testing/gateway-alone.ts", [file], {});
  try {
    const started = await alone.printed(/listening on .*\n/);
    const [, gatewayPort, ports = "", token = ""] = /listening on (\d+) ([\d ]+) with (\S+)/.exec(started) ?? [];
    const canned = ports.split(" ").map(Number);
    const pid = alone.child.pid ?? 0;
    pin(pid, 1);
    const headers = { authorization: `Bearer ${token}` };
    for (const [index, [name, path]] of Object.entries(paths).entries()) {
      const bytes = toRequestBytes("GET", path, headers);
      const load = { toRequest: () => bytes, connections, seconds, isConstant: true };
      const floor = await measureLoad(pid, { ...load, port: canned[index] ?? 0 });
      const result = await measureLoad(pid, { ...load, port: Number(gatewayPort) });
      if (floor.bodyHash !== result.bodyHash) throw new Error(`The servers respond with different bodies: ${name}`);
      printLoad(`${name}, canned response`, floor);
      printLoad(`${name}, gateway alone`, result, floor, "of the rate of canned responses");
    }
  } finally {
    await alone.end();
  }
}

/**
 * Lists of 1 and 20 classifiers, and the identity of the caller, over 32 connections. The server and its embedded store share one processor,
 * and so do the hand-written server and its store.
 */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const server = await startDemoServer(join(folder, "data"));
  const rest = createRest(server.url, server.token);
  const paths = { "list of 1 classifier": await createList(rest, 1), "list of 20": await createList(rest, 20) };
  const entries: Record<string, object[]> = {};
  for (const [name, path] of Object.entries(paths)) entries[name.replaceAll(" ", "-")] = await made(rest.get(path));
  const entriesFile = join(folder, "entries.json");
  await writeFile(entriesFile, JSON.stringify(entries));
  const hand = runProgram("test/bench/testing/by-hand.ts", [join(folder, "by-hand"), entriesFile, server.token], {});
  try {
    const handPort = Number(/listening on (\d+)/.exec(await hand.printed(/listening on \d+/))?.[1]);
    const [ours, theirs] = [server.program.child.pid ?? 0, hand.child.pid ?? 0];
    pin(process.pid, 0);
    pin(ours, 1);
    pin(theirs, 1);
    const headers = { authorization: `Bearer ${server.token}` };
    const load = (port: number, path: string) => {
      const bytes = toRequestBytes("GET", path, headers);
      return { port, toRequest: () => bytes, connections, seconds, isConstant: true };
    };
    for (const [name, path] of Object.entries(paths)) {
      await settle();
      const floor = await measureLoad(theirs, load(handPort, `/${name.replaceAll(" ", "-")}`));
      const result = await measureLoad(ours, load(server.port, path));
      if (floor.bodyHash !== result.bodyHash) throw new Error(`The servers respond with different bodies: ${name}`);
      printLoad(`${name}, by hand`, floor);
      printLoad(name, result, floor);
    }
    // The time of the last use is recorded once a minute.
    const me = { ...load(server.port, "/api/v1/me"), mayDiffer: /"lastUsedAt":"[^"]*"/ };
    printLoad("GET /me", await measureLoad(ours, me));
    const lists = await Promise.all(Object.values(paths).map((path) => fetchList(server.url, path, server.token)));
    const constants = join(folder, "constants.json");
    await writeFile(constants, JSON.stringify(Object.fromEntries(lists)));
    await measureAlone(constants, paths);
    printLoad("health", await measureLoad(ours, load(server.port, "/healthz")));
    return true;
  } finally {
    await hand.end();
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}
