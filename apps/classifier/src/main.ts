import { createSharedEnginePlaces } from "@switchyard/change-feed";
import { openEngines } from "@switchyard/engines";
import { serveService } from "@switchyard/service";
import { readConfig } from "./config.ts";
import { createClassifierService, databaseName, serviceName } from "./index.ts";

const config = readConfig();
await serveService({
  name: serviceName,
  database: databaseName,
  config,
  create({ connect, ...context }) {
    const configuration = connect("configuration", config.configuration);
    const extraction = connect("extraction", config.extraction);
    const shared = createSharedEnginePlaces(configuration);
    const engines = openEngines({ definitions: config.engines, shared });
    const service = createClassifierService({ ...context, engines, configuration, extraction });
    return {
      ...service,
      async endStreams() {
        // Documents that wait for a language model would otherwise hold up the end for as long as its endpoint takes.
        await engines.close();
        await service.endStreams();
      },
    };
  },
});
