import type { DescService } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import {
  assertPermissionsDeclared,
  createIdentityKeys,
  createPageTokenKey,
  createTokenPepper,
  identitySigner,
  identityVerifier,
} from "@switchyard/access";
import { createBenchmarkService } from "@switchyard/benchmark";
import type { BenchmarkSettings } from "@switchyard/benchmark";
import { createClassifierService } from "@switchyard/classifier";
import { createConfigurationService } from "@switchyard/configuration";
import { createDocumentReader, createExtractionService, serviceSettings } from "@switchyard/extraction";
import type { DocumentSettings } from "@switchyard/extraction";
import { createConfigurationCalls, createGateway, publicServices } from "@switchyard/gateway";
import type { Gateway, GatewayLimits } from "@switchyard/gateway";
import { clientInterceptors, createDirectTransport, createReadiness, serverInterceptors } from "@switchyard/rpc";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";

/** Where a system listens and stores. Port 0 is any free port. */
export interface SystemOptions {
  host: string;
  port: number;
  grpcPort: number;
  uri: string;
  /** Whether the database belongs to this process: whoever used it before is gone, and what they worked on is begun again at once. */
  alone?: boolean;
  /** The root secret, of which all keys are derived. */
  secret: Uint8Array;
  logger: Logger;
  /** What an operator can set about documents. */
  documents: DocumentSettings;
  /** What an operator can set about benchmarks. */
  benchmarks?: Partial<BenchmarkSettings>;
  /** What the gateway bears of its clients. */
  limits?: Partial<GatewayLimits>;
}

/** Every service in one process, behind the gateway. */
export interface System {
  gateway: Gateway;
  /** The configuration service's own database, for what is done on the server: the first organization and its token. */
  configurationStorage: Storage;
  close(): Promise<void>;
}

/**
 * Starts every service in this process. Calls between them go straight to the handler, through the same interceptors as between
 * processes. Resolves when the gateway serves.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { host, port, grpcPort, uri, alone = false, secret, logger, documents, benchmarks = {}, limits = {} } = options;
  const keys = createIdentityKeys(secret);
  const getStorage = (name: string): Promise<Storage> => connectStorage({ uri, database: `switchyard_${name}`, alone });
  const storages = await Promise.all([
    getStorage("configuration"),
    getStorage("extraction"),
    getStorage("classifier"),
    getStorage("benchmark"),
  ]);
  const [configurationStorage, extractionStorage, classifierStorage, benchmarkStorage] = storages;

  /** How the service named first calls the one named second. */
  function transport(service: string, audience: string, registrations: readonly ServiceRegistration[]): Transport {
    return createDirectTransport({
      services: registrations,
      serverInterceptors: [...serverInterceptors({ logger }), identityVerifier({ audience, keys })],
      interceptors: [...clientInterceptors(), identitySigner({ service, audience, keys })],
    });
  }

  const configuration = createConfigurationService({
    storage: configurationStorage,
    tokenPepper: createTokenPepper(secret),
    pageTokenSecret: createPageTokenKey(secret, "configuration"),
    logger,
  });
  const reader = createDocumentReader({ workers: documents.parallel, timeoutMs: documents.readTimeoutMs });
  const extraction = createExtractionService({
    storage: extractionStorage,
    reader,
    configuration: transport("extraction", "configuration", configuration.registrations),
    pageTokenSecret: createPageTokenKey(secret, "extraction"),
    settings: serviceSettings(documents),
    alone,
    logger,
  });
  const classifier = createClassifierService({
    storage: classifierStorage,
    configuration: transport("classifier", "configuration", configuration.registrations),
    extraction: transport("classifier", "extraction", extraction.registrations),
    pageTokenSecret: createPageTokenKey(secret, "classifier"),
    alone,
    logger,
  });
  const benchmark = createBenchmarkService({
    storage: benchmarkStorage,
    configuration: transport("benchmark", "configuration", configuration.registrations),
    extraction: transport("benchmark", "extraction", extraction.registrations),
    pageTokenSecret: createPageTokenKey(secret, "benchmark"),
    settings: benchmarks,
    alone,
    logger,
  });
  const services = { configuration, extraction, classifier, benchmark };
  assertPermissionsDeclared(
    Object.values(services).flatMap(({ registrations }) => registrations.map(({ service }) => service)),
  );
  await Promise.all(storages.map((storage) => storage.ready(logger)));
  for (const service of Object.values(services)) service.start();

  const transports = new Map<string, Transport>(
    Object.entries(services).map(([name, service]) => [name, transport("gateway", name, service.registrations)]),
  );
  const getTransport = (audience: string): Transport => {
    const found = transports.get(audience);
    if (found === undefined) throw new Error(`no service ${audience}`);
    return found;
  };
  const gateway = await createGateway({
    host,
    port,
    grpcPort,
    services: publicServices.map(({ service, audience }: { service: DescService; audience: string }) => ({
      service,
      transport: getTransport(audience),
    })),
    ...createConfigurationCalls(getTransport("configuration"), logger),
    logger,
    limits,
    ready: createReadiness(storages.map((storage) => () => storage.ping())),
  });
  return {
    gateway,
    configurationStorage,
    async close() {
      await gateway.close();
      for (const service of [benchmark, classifier, extraction, configuration]) await service.stop();
      await reader.close();
      await Promise.all(storages.map((storage) => storage.close()));
    },
  };
}
