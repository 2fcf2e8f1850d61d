// Measures how many short texts a server classifies and extracts.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { invoiceText } from "../burst.ts";
import { startDemoServer } from "../faults/demo-server.ts";
import type { DemoServer } from "../faults/demo-server.ts";
import { runProgram } from "../processes.ts";
import { createRest } from "../rest.ts";
import { measureLoad, pin, printLoad, settle, toRequestBytes } from "./testing/load.ts";
import type { LoadResult } from "./testing/load.ts";

const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? 5);

/**
 * Classifies short texts, each a new one, with and without extraction, one at a time and sixteen at a time. The baseline is a list of one
 * classifier from a hand-written server, over 32 connections.
 */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const server = await startDemoServer(join(folder, "data"));
  try {
    const pid = server.program.child.pid ?? 0;
    pin(process.pid, 0);
    pin(pid, 1);
    const { body: classifier } = await createRest(server.url, server.token).get(
      `/api/v1/classify/${server.classifier}`,
    );
    const floor = await measureByHand(folder, [classifier]);
    printLoad("list of 1 classifier, by hand", floor);
    const classify = createClassifications(server);
    // The first seconds run code that is not compiled yet.
    await classify(true, 16);
    for (const extract of [false, true]) {
      for (const connections of [1, 16]) {
        await settle();
        const name = `${extract ? "classify and extract" : "classify"}, ${connections} at a time`;
        printLoad(name, await classify(extract, connections), floor, "of the rate of lists by hand");
      }
    }
    return true;
  } finally {
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates a function that classifies new short texts, each with its extraction if `extract` is set. */
function createClassifications({ program, port, token, classifier }: DemoServer) {
  let documents = 0;
  return (extract: boolean, connections: number): Promise<LoadResult> =>
    measureLoad(program.child.pid ?? 0, {
      port,
      toRequest: () => {
        const body = JSON.stringify({ text: invoiceText((documents += 1)), extract });
        return toRequestBytes("POST", `/api/v1/classify/${classifier}`, { authorization: `Bearer ${token}` }, body);
      },
      connections,
      seconds,
      isConstant: false,
      check(body) {
        const { status, extraction } = JSON.parse(body);
        if (status !== "CLASSIFIED") throw new Error(body);
        if (extract && extraction?.status !== "COMPLETED") throw new Error(body);
      },
    });
}

/** Measures a hand-written server that lists these entries. It has stopped before the server is measured. */
async function measureByHand(folder: string, entries: readonly object[]): Promise<LoadResult> {
  const [file, token] = [join(folder, "entries.json"), "token"];
  await writeFile(file, JSON.stringify({ list: entries }));
  const hand = runProgram("test/bench/testing/by-hand.ts", [join(folder, "by-hand"), file, token], {});
  try {
    const port = Number(/listening on (\d+)/.exec(await hand.printed(/listening on \d+/))?.[1]);
    const pid = hand.child.pid ?? 0;
    pin(pid, 1);
    const bytes = toRequestBytes("GET", "/list", { authorization: `Bearer ${token}` });
    return await measureLoad(pid, { port, toRequest: () => bytes, connections: 32, seconds, isConstant: true });
  } finally {
    await hand.end();
  }
}
