import { readFile } from "node:fs/promises";
import { runProgram } from "../processes.ts";
import type { RunningProgram } from "../processes.ts";

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

/** Starts the server program with its data in `folder`, and waits until the demo is ready. */
export async function startDemoServer(folder: string, environment: Record<string, string> = {}): Promise<DemoServer> {
  const ports = { PORT: "0", GRPC_PORT: "0", HOST: "127.0.0.1" };
  const program = runProgram("apps/standalone/bin/switchyard-server.js", ["start", "--demo"], {
    // Recognizing the pictures of the demo takes seconds.
    ...{ SWITCHYARD_DATA: folder, LOG_LEVEL: "warn", SWITCHYARD_OCR: "off" },
    ...ports,
    ...environment,
  });
  const printed = await program.printed(/curl .*\n/);
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

/** Returns the current and the peak physical memory of a process in MiB; undefined if the operating system does not report it. */
export async function getMemory(pid: number | undefined): Promise<{ now: number; most: number } | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined);
  if (status === undefined) return undefined;
  const mebibytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: mebibytes("VmRSS"), most: mebibytes("VmHWM") };
}
