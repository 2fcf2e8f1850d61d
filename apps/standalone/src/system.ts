import type { DescService } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import {
  createIdentityKeys,
  createTokenPepper,
  serviceClientInterceptors,
  serviceServerInterceptors,
} from "@switchyard/access";
import { createBenchmarkService } from "@switchyard/benchmark";
import type { BenchmarkSettings } from "@switchyard/benchmark/settings";
import { createSharedEnginePlaces } from "@switchyard/change-feed";
import { createClassifierService } from "@switchyard/classifier";
import { createConfigurationService } from "@switchyard/configuration";
import { openEngines } from "@switchyard/engines";
import type { EngineDefinition } from "@switchyard/engines";
import { createDocumentReader, createExtractionService, findOwnModels } from "@switchyard/extraction";
import { serviceSettings } from "@switchyard/extraction/settings";
import type { DocumentSettings } from "@switchyard/extraction/settings";
import { createConfigurationCalls, createConsole, createGateway, publicServices } from "@switchyard/gateway";
import type { Gateway, GatewayLimits, SignInLinks } from "@switchyard/gateway";
import { createDirectTransport, createReadiness } from "@switchyard/rpc";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import { composeService } from "@switchyard/service";
import type { ServiceContext, ServiceInstance } from "@switchyard/service";
import { connectStorage } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";

/** The options of a system. Port 0 selects any free port. */
export interface SystemOptions {
  host: string;
  port: number;
  grpcPort: number;
  /** The connection string of the database server. */
  uri: string;
  /** Whether no other process uses the database. If so, unfinished work of earlier processes is resumed at once. */
  exclusive?: boolean;
  /** The root secret, from which all keys are derived. */
  secret: Uint8Array;
  logger: Logger;
  /** The operator's settings for documents. */
  documents: DocumentSettings;
  /** The language models of the operator's file; none by default. */
  engines?: readonly EngineDefinition[];
  /** The operator's settings for benchmarks. */
  benchmarks?: Partial<BenchmarkSettings>;
  /** The limits of the gateway for its clients. */
  limits?: Partial<GatewayLimits>;
  /** How many requests a token may make in a minute; 0, the default, means any number. */
  requestsPerMinute?: number;
  /** The origins whose pages may use the gateway in a browser; none by default. */
  corsOrigins?: readonly string[];
  /** Whether the console is served; true by default. */
  console?: boolean;
  /** The links that sign in to the console; none by default. */
  signIn?: Pick<SignInLinks, "redeem"> | undefined;
  /** Whether responses between the services are frozen, so that tests find code that modifies them; false by default. */
  freezeResponses?: boolean;
}

/** All services in one process, behind the gateway. */
export interface System {
  gateway: Gateway;
  /** The database of the configuration service, for administration on the server. */
  configurationStorage: Storage;
  close(): Promise<void>;
}

/**
 * Starts all services in this process. Calls between them go directly to the handler, through the same interceptors as between
 * processes. Resolves when the gateway is listening.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const {
    host,
    port,
    grpcPort,
    uri,
    exclusive = false,
    secret,
    logger,
    documents,
    engines: definitions = [],
    benchmarks = {},
    limits = {},
    requestsPerMinute = 0,
    corsOrigins = [],
    console = true,
    signIn,
    freezeResponses = false,
  } = options;
  const models = await findOwnModels(documents.modelFolder);
  const keys = createIdentityKeys(secret);
  const connectTo = (name: string): Promise<Storage> =>
    connectStorage({ uri, database: `switchyard_${name}`, exclusive, logger });
  const storages = await Promise.all([
    connectTo("configuration"),
    connectTo("extraction"),
    connectTo("classifier"),
    connectTo("benchmark"),
  ]);
  const [configurationStorage, extractionStorage, classifierStorage, benchmarkStorage] = storages;
  const compose = <Instance extends ServiceInstance>(
    name: string,
    storage: Storage,
    create: (context: ServiceContext) => Instance,
  ): Promise<Instance> => composeService({ name, storage, exclusive, secret, logger }, create);

  /** Creates the transport from one service to another. */
  function connect(service: string, audience: string, registrations: readonly ServiceRegistration[]): Transport {
    return createDirectTransport({
      services: registrations,
      serverInterceptors: serviceServerInterceptors({ audience, keys, logger }),
      interceptors: serviceClientInterceptors({ service, audience, keys }),
      freezeResponses,
    });
  }

  // The configuration service only lists them and checks whether they respond.
  const listedEngines = openEngines({ definitions });
  const configuration = await compose("configuration", configurationStorage, (context) =>
    createConfigurationService({
      ...context,
      tokenPepper: createTokenPepper(secret),
      engines: listedEngines,
    }),
  );
  // One for the services that ask them, so that its limits hold for these together. Replicas share the limits through the database.
  const shared = createSharedEnginePlaces(connect("extraction", "configuration", configuration.registrations));
  const engines = openEngines({ definitions, ...(exclusive ? {} : { shared }) });
  const { parallel: workers, readTimeoutMs: timeoutMs, maxPictures, parallelPictures } = documents;
  const reader = createDocumentReader({ workers, timeoutMs, maxPictures, parallelPictures, models });
  // Set by the classifier service, which is created after the extraction service because it calls it.
  let noteDeletedFiles = (): void => undefined;
  const extraction = await compose("extraction", extractionStorage, (context) =>
    createExtractionService({
      ...context,
      reader,
      configuration: connect("extraction", "configuration", configuration.registrations),
      settings: serviceSettings(documents),
      engines,
      onFilesDeleted: () => noteDeletedFiles(),
    }),
  );
  const classifier = await compose("classifier", classifierStorage, (context) =>
    createClassifierService({
      ...context,
      configuration: connect("classifier", "configuration", configuration.registrations),
      extraction: connect("classifier", "extraction", extraction.registrations),
      engines,
      // Other processes would delete files, too.
      deletedFilesAreNoted: exclusive,
    }),
  );
  noteDeletedFiles = () => classifier.noteDeletedFiles();
  const benchmark = await compose("benchmark", benchmarkStorage, (context) =>
    createBenchmarkService({
      ...context,
      configuration: connect("benchmark", "configuration", configuration.registrations),
      extraction: connect("benchmark", "extraction", extraction.registrations),
      classifier: connect("benchmark", "classifier", classifier.registrations),
      settings: benchmarks,
    }),
  );
  const services = { configuration, extraction, classifier, benchmark };
  await Promise.all(storages.map((storage) => storage.ready(logger)));
  for (const service of Object.values(services)) service.start();

  const transports = new Map<string, Transport>(
    Object.entries(services).map(([name, service]) => [name, connect("gateway", name, service.registrations)]),
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
    requestsPerMinute,
    corsOrigins,
    console: console ? { files: createConsole(), signIn } : undefined,
    ready: createReadiness(storages.map((storage) => () => storage.ping())),
  });
  return {
    gateway,
    configurationStorage,
    async close() {
      await gateway.close();
      for (const service of [benchmark, classifier, extraction, configuration]) await service.stop();
      await Promise.all([engines.close(), listedEngines.close()]);
      await reader.close();
      await Promise.all(storages.map((storage) => storage.close()));
    },
  };
}
