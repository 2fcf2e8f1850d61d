import { createTokenPepper } from "@switchyard/access";
import { bootstrapOrganization } from "@switchyard/configuration";
import { parseEngineFile } from "@switchyard/engines";
import { createLogger, freePort } from "@switchyard/rpc";
import { startSystem } from "@switchyard/standalone";
import { connectStorage } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { runProgram } from "./processes.ts";
import type { RunningProgram } from "./processes.ts";

/** A whole system with one organization, on free loopback ports. */
export interface TestSystem {
  url: string;
  grpcPort: number;
  /** A token of the organization with every permission. */
  token: string;
  /** Creates another organization; returns a token of it with every permission. */
  anotherOrganization(name: string): Promise<string>;
  /** Starts another replica of every service and the gateway, in this process, over the same database; not for one process, which owns it. */
  replica(): Promise<Running>;
  /** The URI of the database of the services. */
  uri: string;
  /** Returns everything that the processes have printed so far; only for separate processes. */
  output(): string;
  /** Ends one service, such as "configuration", with a signal, and returns a function that restarts it; only for separate processes. */
  stop(service: string, signal: NodeJS.Signals): Promise<() => Promise<void>>;
  /** Suspends one service, and returns a function that resumes it; only for separate processes. */
  suspend(service: string): () => void;
  close(): Promise<void>;
}

/** A running system without its database. */
export type Running = Pick<TestSystem, "url" | "grpcPort" | "output" | "stop" | "suspend" | "close">;

/**
 * How the services of a system run: all in this process, which then owns the database; likewise, but with replicas over the same database;
 * or each in its own process with gRPC between them.
 */
export type SystemShape = "one process" | "replicas" | "separate processes";

/** A running system; of one in this process, with the database of its configuration service. */
interface Started extends Running {
  readonly configurationStorage?: Storage;
}

/** Options of a system for tests. */
export interface TestSystemOptions {
  /** Only in one process. */
  readTimeoutMs?: number;
  /** How many requests a token may make in a minute; any number by default. */
  requestsPerMinute?: number;
  /** Where errors and warnings are logged; only in one process. */
  log?: NodeJS.WritableStream;
  /** Only for separate processes; "info" by default. Programs log at this level that they listen. */
  logLevel?: "info" | "debug" | "trace";
  /** The language models: the contents of the operator's file, and the variables with their keys. */
  engines?: { file: Record<string, unknown>; variables?: Record<string, string> };
  /** Arguments of Node.js; only for separate processes. */
  nodeOptions?: readonly string[];
  /** The folder of the database; in memory or a temporary folder by default. */
  folder?: string;
  /** Whether the embedded store runs in a thread of its own, as in the product. If it is undefined, `startTestDatabase` chooses. */
  ownThread?: boolean;
  /** The database server, which the system closes; a new one by default. */
  database?: TestDatabase;
  /** Creates a relay between the services and their database. */
  between?: (uri: string) => Promise<{ uri: string; close(): Promise<void> }>;
}

/** Starts a system on its own database. */
export async function startTestSystem(shape: SystemShape, options: TestSystemOptions = {}): Promise<TestSystem> {
  const ownThread = shape === "separate processes" || options.ownThread;
  const database = options.database ?? (await startTestDatabase({ folder: options.folder, ownThread }));
  const between = await options.between?.(database.uri);
  const uri = between?.uri ?? database.uri;
  const secret = new Uint8Array(randomBytes(32));
  const starting =
    shape === "separate processes"
      ? separately(uri, secret, options)
      : inOneProcess(uri, secret, options, shape === "one process");
  const started = await starting.catch(async (error: unknown) => {
    await between?.close();
    await database.close();
    throw error;
  });
  // A relay may have closed.
  const configurationStorage = between === undefined ? started.configurationStorage : undefined;
  const storage =
    configurationStorage ?? (await connectStorage({ uri: database.uri, database: "switchyard_configuration" }));
  const tokenPepper = createTokenPepper(secret);
  const bootstrap = async (organizationName: string) => {
    const names = { organizationName, userName: "Ada", tokenName: "Everything" };
    return (await bootstrapOrganization({ storage, tokenPepper }, names)).secret;
  };
  return {
    ...started,
    uri: database.uri,
    token: await bootstrap("Acme"),
    anotherOrganization: bootstrap,
    async replica() {
      if (shape === "one process") throw new Error("A system that owns its database has no replicas");
      return inOneProcess(uri, secret, options, false);
    },
    async close() {
      await started.close();
      if (configurationStorage === undefined) await storage.close();
      await between?.close();
      await database.close();
    },
  };
}

async function inOneProcess(
  uri: string,
  secret: Uint8Array,
  options: TestSystemOptions,
  exclusive: boolean,
): Promise<Started> {
  const { readTimeoutMs = 20_000, requestsPerMinute = 0 } = options;
  const reading = { readTimeoutMs, maxPictures: 10, parallelPictures: 1, modelFolder: undefined };
  const documents = { retentionMs: 86_400_000, parallel: 1, leaseMs: 5_000, ...reading };
  const logger =
    options.log === undefined
      ? createLogger({ name: "test", level: process.env["LOG_LEVEL"] ?? "silent" })
      : createLogger({ name: "test", level: "warn", destination: options.log });
  const ports = { host: "127.0.0.1", port: 0, grpcPort: 0 };
  const { file = {}, variables = {} } = options.engines ?? {};
  const engines = parseEngineFile(JSON.stringify(file), variables);
  const settings = { documents, engines, requestsPerMinute, freezeResponses: true };
  const system = await startSystem({ ...ports, uri, exclusive, secret, logger, ...settings });
  return {
    url: system.gateway.url,
    grpcPort: system.gateway.grpcPort,
    output: () => "",
    stop: (service) => Promise.reject(new Error(`${service} has no process of its own`)),
    suspend(service) {
      throw new Error(`${service} has no process of its own`);
    },
    close: () => system.close(),
    configurationStorage: system.configurationStorage,
  };
}

/** Starts each service in its own process. Starts all again if another process took one of their ports after it was chosen. */
async function separately(uri: string, secret: Uint8Array, options: TestSystemOptions): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startProcesses(uri, secret, options);
    } catch (error) {
      if (attempt === 3 || !String(error).includes("EADDRINUSE")) throw error;
    }
  }
}

async function startProcesses(uri: string, secret: Uint8Array, options: TestSystemOptions): Promise<Started> {
  const { logLevel = "info", requestsPerMinute = 0 } = options;
  const [configuration, extraction, classifier, benchmark, port, grpcPort] = await Promise.all(
    Array.from({ length: 6 }, freePort),
  );
  const folder = await mkdtemp(join(tmpdir(), "switchyard-engines-"));
  const { file = {}, variables = {} } = options.engines ?? {};
  await writeFile(join(folder, "engines.json"), JSON.stringify(file));
  const environment = {
    ...variables,
    SWITCHYARD_ENGINES: join(folder, "engines.json"),
    MONGODB_URI: uri,
    SWITCHYARD_SECRET: Buffer.from(secret).toString("hex"),
    CONFIGURATION_ADDRESS: `127.0.0.1:${configuration}`,
    EXTRACTION_ADDRESS: `127.0.0.1:${extraction}`,
    CLASSIFIER_ADDRESS: `127.0.0.1:${classifier}`,
    BENCHMARK_ADDRESS: `127.0.0.1:${benchmark}`,
    HOST: "127.0.0.1",
    PORT: String(port),
    GRPC_PORT: String(grpcPort),
    LOG_LEVEL: logLevel,
    SWITCHYARD_RATE_LIMIT: String(requestsPerMinute),
  };
  const programs = new Map<string, RunningProgram>();
  const started: RunningProgram[] = [];
  async function start(name: string): Promise<void> {
    const program = runProgram(`apps/${name}/src/main.ts`, [], environment, options.nodeOptions);
    programs.set(name, program);
    started.push(program);
    await program.printed(/Listening/);
  }
  const close = async (): Promise<void> => {
    await Promise.all([...programs.values()].map((program) => program.end()));
    await rm(folder, { recursive: true, force: true });
  };
  await Promise.all(["configuration", "extraction", "classifier", "benchmark", "gateway"].map(start)).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );
  return {
    url: `http://127.0.0.1:${port}`,
    grpcPort: Number(grpcPort),
    output: () => started.map((program) => program.output()).join(""),
    async stop(service, signal) {
      await programs.get(service)?.end(signal);
      return () => start(service);
    },
    suspend(service) {
      const child = programs.get(service)?.child;
      child?.kill("SIGSTOP");
      return () => void child?.kill("SIGCONT");
    },
    close,
  };
}
