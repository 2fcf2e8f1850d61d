import type { Transport } from "@connectrpc/connect";
import { createIdentityKeys, createTokenPepper, identitySigner, identityVerifier } from "@switchyard/access";
import { bootstrapOrganization, createConfigurationService } from "@switchyard/configuration";
import { createDocumentReader, createExtractionService } from "@switchyard/extraction";
import type { Extractor } from "@switchyard/extraction";
import { createConfigurationCalls, createGateway, publicServices } from "@switchyard/gateway";
import {
  clientInterceptors,
  createChannelTransport,
  createDirectTransport,
  createLogger,
  serverInterceptors,
  serveRpc,
  freePort,
} from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { runProgram } from "../processes.ts";
import type { RunningProgram } from "../processes.ts";
import { createRest } from "../rest.ts";
import type { Rest } from "../rest.ts";
import { getBody } from "../specification/testing/office.ts";

/** An execution as it is stored. */
export interface StoredExecution {
  status: number;
  done: number;
  failed: number;
  fileCount: number;
  lease: { owner: string; fence: number };
  finished: number[];
}

/** A result as it is stored. */
export interface StoredResult {
  executionId: string;
  fileId: string;
  fence: number;
}

/** A system with a configurable duration of extraction, and with benchmark workers in processes that can be killed. */
export interface BenchmarkSystem {
  rest: Rest;
  projectId: string;
  modelId: string;
  fileIds: readonly string[];
  workers: RunningProgram[];
  /** Sets how many milliseconds the extraction of each file takes from now on. */
  slowness: { ms: number };
  /** Restarts the worker with this index, and waits until it serves. */
  restart(index: number): Promise<void>;
  /** Returns the index of the worker that last acquired the lease of an execution. */
  getHolder(executionId: string): number;
  stored(executionId: string): Promise<StoredExecution>;
  /** Returns the results that count. */
  results(executionId: string): Promise<StoredResult[]>;
  /** Returns the number of all results, including those that do not count. */
  madeResults(executionId: string): Promise<number>;
  /** Waits until a stored execution fulfils a condition. */
  until(
    executionId: string,
    what: (execution: StoredExecution) => boolean,
    timeoutMs?: number,
  ): Promise<StoredExecution>;
  close(): Promise<void>;
}

/** Starts a system with accepted files and two benchmark workers, whose leases last one second. */
export async function startBenchmarkSystem(fileCount: number): Promise<BenchmarkSystem> {
  const database = await startTestDatabase({ ownThread: true });
  const { uri } = database;
  const secret = new Uint8Array(randomBytes(32));
  const keys = createIdentityKeys(secret);
  const logger = createLogger({ name: "test", level: process.env["LOG_LEVEL"] ?? "silent" });
  const slowness = { ms: 20 };

  const configurationStorage = await connectStorage({ uri, database: "switchyard_configuration" });
  const extractionStorage = await connectStorage({ uri, database: "switchyard_extraction" });
  const benchmarkStorage = await connectStorage({ uri, database: "switchyard_benchmark" });
  const tokenPepper = createTokenPepper(secret);
  const pageTokenSecret = new Uint8Array(randomBytes(32));
  const direct = (service: string, audience: string, services: readonly ServiceRegistration[]): Transport =>
    createDirectTransport({
      services,
      serverInterceptors: [...serverInterceptors({ logger }), identityVerifier({ audience, keys })],
      interceptors: [...clientInterceptors(), identitySigner({ service, audience, keys })],
    });
  const configuration = createConfigurationService({
    storage: configurationStorage,
    tokenPepper,
    pageTokenSecret,
    logger,
  });
  const reader = createDocumentReader({ workers: 1 });
  const extraction = createExtractionService({
    storage: extractionStorage,
    configuration: direct("extraction", "configuration", configuration.registrations),
    reader,
    logger,
    pageTokenSecret,
    settings: { parallel: 8 },
    extractor: slowExtractor(slowness),
  });
  await configurationStorage.ready();
  await extractionStorage.ready();

  const serve = (audience: string, { registrations }: { registrations: ServiceRegistration[] }) =>
    serveRpc({
      host: "127.0.0.1",
      port: 0,
      services: registrations,
      interceptors: [...serverInterceptors({ logger }), identityVerifier({ audience, keys })],
      logger,
      closeGraceMs: 100,
    });
  const servers = [await serve("configuration", configuration), await serve("extraction", extraction)];
  const ports = await Promise.all([freePort(), freePort()]);
  const environment = {
    MONGODB_URI: uri,
    SWITCHYARD_SECRET: Buffer.from(secret).toString("hex"),
    CONFIGURATION_ADDRESS: `127.0.0.1:${servers[0]?.port}`,
    EXTRACTION_ADDRESS: `127.0.0.1:${servers[1]?.port}`,
    SWITCHYARD_BENCHMARK_LEASE_SECONDS: "1",
    LOG_LEVEL: "info",
  };
  const startWorker = (index: number): RunningProgram =>
    runProgram("apps/benchmark/src/main.ts", [], { ...environment, BENCHMARK_ADDRESS: `127.0.0.1:${ports[index]}` });
  const workers = ports.map((_, index) => startWorker(index));
  await Promise.all(workers.map((worker) => worker.printed(/Listening/)));

  const benchmark = createChannelTransport({
    target: `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(",")}`,
    interceptors: [...clientInterceptors(), identitySigner({ service: "gateway", audience: "benchmark", keys })],
  });
  const configurationTransport = direct("gateway", "configuration", configuration.registrations);
  const transports: Record<string, Transport> = {
    configuration: configurationTransport,
    extraction: direct("gateway", "extraction", extraction.registrations),
    benchmark,
  };
  const gateway = await createGateway({
    host: "127.0.0.1",
    port: 0,
    grpcPort: 0,
    services: publicServices.flatMap(({ service, audience }) => {
      const transport = transports[audience];
      return transport === undefined ? [] : [{ service, transport }];
    }),
    ...createConfigurationCalls(configurationTransport, logger),
    logger,
    limits: { closeGraceMs: 100 },
  });
  const names = { organizationName: "Acme", userName: "Ada", tokenName: "Everything" };
  const { secret: token } = await bootstrapOrganization({ storage: configurationStorage, tokenPepper }, names);
  const rest = createRest(gateway.url, token);
  const accepted = await acceptFiles(rest, fileCount);

  const collection = <Document extends object>(name: string) =>
    benchmarkStorage.connection.getClient().db("switchyard_benchmark").collection<Document & { _id: string }>(name);

  async function stored(executionId: string): Promise<StoredExecution> {
    const found = await collection<StoredExecution>("executions").findOne({ _id: executionId });
    if (found === null) throw new Error(`no execution ${executionId}`);
    return found;
  }

  return {
    rest,
    ...accepted,
    workers,
    slowness,
    async restart(index) {
      const worker = startWorker(index);
      workers[index] = worker;
      await worker.printed(/Listening/);
    },
    getHolder(executionId) {
      const taken = workers.map((worker) => worker.output().lastIndexOf(executionId));
      return taken.findIndex((at) => at >= 0);
    },
    stored,
    async results(executionId) {
      const { finished = [] } = (await collection<StoredExecution>("executions").findOne({ _id: executionId })) ?? {};
      const made = await collection<StoredResult>("results").find({ executionId }).toArray();
      // Results that count twice appear twice.
      return finished.flatMap((entry) => made.filter(({ _id }) => _id === `${executionId} ${entry}`));
    },
    madeResults: (executionId) => collection<StoredResult>("results").countDocuments({ executionId }),
    async until(executionId, what, timeoutMs = 60_000) {
      for (const deadline = Date.now() + timeoutMs; ;) {
        const execution = await stored(executionId);
        if (what(execution)) return execution;
        if (Date.now() > deadline) throw new Error(`waited in vain: ${JSON.stringify(execution)}`);
        await sleep(25);
      }
    },
    async close() {
      await gateway.close();
      await Promise.all(workers.map((worker) => worker.end("SIGKILL")));
      benchmark.close();
      for (const server of servers) await server.close();
      await extraction.stop();
      await configuration.stop();
      await reader.close();
      for (const storage of [configurationStorage, extractionStorage, benchmarkStorage]) await storage.close();
      await database.close();
    },
  };
}

/** Extracts nothing, after a delay. */
function slowExtractor(slowness: { readonly ms: number }): Extractor {
  return {
    async extract() {
      await sleep(slowness.ms);
      return { tables: new Uint8Array() };
    },
    prepare: () => Promise.resolve({ questions: [] }),
    close: () => Promise.resolve(),
  };
}

/** Creates a project with a model and files with accepted values. */
export async function acceptFiles(rest: Rest, count: number) {
  const { id: projectId } = await getBody(rest.post("/api/v1/projects", { name: "Many files" }), 201);
  const model = await getBody(
    rest.post(`/api/v1/projects/${projectId}/deployments`, {
      name: "Receipts",
      tables: [{ slug: "receipt" }],
      columns: [{ slug: "total", type: "NUMBER" }],
    }),
    201,
  );
  const path = `/api/v1/projects/${projectId}`;
  const numbers = Array.from({ length: count }, (_, number) => number);
  const fileIds: string[] = [];
  const left = numbers[Symbol.iterator]();
  const upload = async (): Promise<void> => {
    for (const number of left) {
      const text = Buffer.from(`Receipt ${number}\nTotal ${number}.00`);
      fileIds.push((await getBody(rest.upload(`${path}/files`, `${number}.txt`, text), 201)).id);
    }
  };
  await Promise.all(Array.from({ length: 4 }, upload));
  const lines = fileIds.map((fileId, number) => JSON.stringify({ fileId, values: { total: number } }));
  const fields = { deploymentId: model.id };
  const text = Buffer.from(lines.join("\n"));
  const imported = await getBody(rest.upload(`${path}/accepted-values:import`, "a.jsonl", text, fields), 200);
  if (imported.accepted !== count) throw new Error(JSON.stringify(imported));
  return { projectId, modelId: model.id as string, fileIds };
}
