import { openEngines } from "@switchyard/engines";
import { serveService } from "@switchyard/service";
import { readConfig } from "./config.ts";
import { createClassifierService, databaseName, serviceName } from "./index.ts";

const config = readConfig();
const engines = openEngines({ definitions: config.engines });
await serveService({
  name: serviceName,
  database: databaseName,
  config,
  create: ({ connect, ...context }) =>
    createClassifierService({
      ...context,
      engines,
      configuration: connect("configuration", config.configuration),
      extraction: connect("extraction", config.extraction),
    }),
});
