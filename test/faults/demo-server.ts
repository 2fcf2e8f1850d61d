import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runProgram } from "../processes.ts";
import type { RunningProgram } from "../processes.ts";
import { sentCommandsFolder } from "../subset/preload.ts";

/** The server program with its demo organization, in its own process on free loopback ports. */
export interface DemoServer {
  readonly program: RunningProgram;
  readonly url: string;
  readonly port: number;
  readonly grpcPort: number;
  /** A token with every permission. */
  readonly token: string;
  /** The ID of the demo's classifier. */
  readonly classifier: string;
}

/**
 * Starts the server program with its data in `folder`, and waits until the demo is ready. A new folder begins in a test run with a copy of a
 * demo that is created once, because creating it takes most of the time of a first start.
 */
export async function startDemoServer(folder: string, environment: Record<string, string> = {}): Promise<DemoServer> {
  const token = await copyDemo(folder, environment);
  const server = await launch(folder, environment);
  return token === undefined ? server : { ...server, token };
}

async function launch(folder: string, environment: Record<string, string>): Promise<DemoServer> {
  const ports = { PORT: "0", GRPC_PORT: "0", HOST: "127.0.0.1" };
  const program = runProgram("apps/standalone/bin/switchyard-server.js", ["start", "--demo"], {
    // Recognizing the pictures of the demo takes seconds.
    ...{ SWITCHYARD_DATA: folder, LOG_LEVEL: "warn", SWITCHYARD_OCR: "off" },
    ...ports,
    ...environment,
  });
  const printed = await program.printed(/curl .*\n/).catch(async (error: unknown) => {
    await program.end("SIGKILL");
    throw error;
  });
  const found = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? "";
  const url = found(/(http:\/\/127\.0\.0\.1:\d+)/);
  return {
    program,
    url,
    port: Number(new URL(url).port),
    grpcPort: Number(found(/gRPC on port (\d+)/)),
    token: found(/Bearer (\S+)"/),
    classifier: found(/classify\/(clf_\w+)/),
  };
}

/** Copies the demo of this test run to a new folder, and returns its token. Does nothing for other folders, and outside of test runs. */
async function copyDemo(folder: string, environment: Record<string, string>): Promise<string | undefined> {
  const sent = process.env[sentCommandsFolder];
  if (sent === undefined || existsSync(join(folder, "secret"))) return undefined;
  const binary = environment["MONGOD_BINARY"] ?? process.env["MONGOD_BINARY"] ?? "";
  const place = join(dirname(sent), binary === "" ? "demo" : "demo-mongod");
  const token = await createDemo(place, binary);
  await cp(join(place, "data"), folder, { recursive: true });
  return token;
}

/** Creates the demo, unless it exists or another process creates it, for which this waits. Returns its token. */
async function createDemo(place: string, binary: string): Promise<string> {
  const file = join(place, "token");
  for (; ; await sleep(100)) {
    if (existsSync(file)) return readFile(file, "utf8");
    const isFirst = await mkdir(place).then(
      () => true,
      () => false,
    );
    if (!isFirst) continue;
    try {
      const server = await launch(join(place, "data"), { MONGODB_URI: "", MONGOD_BINARY: binary });
      await server.program.end();
      await writeFile(`${file}.new`, server.token);
      await rename(`${file}.new`, file);
    } catch (error) {
      await rm(place, { recursive: true, force: true });
      throw error;
    }
  }
}

/** Returns the current and the peak physical memory of a process in MiB; undefined if the operating system does not report it. */
export async function getMemory(pid: number | undefined): Promise<{ now: number; most: number } | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined);
  if (status === undefined) return undefined;
  const mebibytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: mebibytes("VmRSS"), most: mebibytes("VmHWM") };
}
