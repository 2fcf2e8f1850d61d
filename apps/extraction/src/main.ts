import { serveService } from "@switchyard/service";
import { readConfig } from "./config.ts";
import { serviceSettings } from "./document-settings.ts";
import { createDocumentReader, createExtractionService, databaseName, serviceName } from "./index.ts";

const config = readConfig();
const { parallel: workers, readTimeoutMs: timeoutMs, maxPictures } = config.documents;
await serveService({
  name: serviceName,
  database: databaseName,
  config,
  create({ connect, ...context }) {
    const reader = createDocumentReader({ workers, timeoutMs, maxPictures });
    const configuration = connect("configuration", config.configuration);
    const settings = serviceSettings(config.documents);
    const service = createExtractionService({ ...context, configuration, reader, settings });
    return {
      ...service,
      async stop() {
        await service.stop();
        await reader.close();
      },
    };
  },
});
