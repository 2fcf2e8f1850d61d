import { serveService } from "@switchyard/service";
import { readConfig } from "./config.ts";
import { createBenchmarkService, databaseName, serviceName } from "./index.ts";

const config = readConfig();
await serveService({
  name: serviceName,
  database: databaseName,
  config,
  create: ({ connect, ...context }) =>
    createBenchmarkService({
      ...context,
      configuration: connect("configuration", config.configuration),
      extraction: connect("extraction", config.extraction),
      classifier: connect("classifier", config.classifier),
      settings: config.benchmarks,
    }),
});
