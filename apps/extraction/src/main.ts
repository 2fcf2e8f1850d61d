import { createSharedEnginePlaces } from "@switchyard/change-feed";
import { openEngines } from "@switchyard/engines";
import { serveService } from "@switchyard/service";
import { readConfig } from "./config.ts";
import { serviceSettings } from "./document-settings.ts";
import { createDocumentReader, createExtractionService, databaseName, findOwnModels, serviceName } from "./index.ts";

const config = readConfig();
const { parallel: workers, readTimeoutMs: timeoutMs, maxPictures, parallelPictures, modelFolder } = config.documents;
const models = await findOwnModels(modelFolder);
await serveService({
  name: serviceName,
  database: databaseName,
  config,
  create({ connect, ...context }) {
    const reader = createDocumentReader({ workers, timeoutMs, maxPictures, parallelPictures, models });
    const configuration = connect("configuration", config.configuration);
    const shared = createSharedEnginePlaces(configuration);
    const engines = openEngines({ definitions: config.engines, shared });
    const settings = serviceSettings(config.documents);
    const service = createExtractionService({ ...context, configuration, reader, settings, engines });
    return {
      ...service,
      async stop() {
        await service.stop();
        await engines.close();
        await reader.close();
      },
    };
  },
});
