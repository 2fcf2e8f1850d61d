import { createTokenPepper } from "@switchyard/access";
import { openEngines } from "@switchyard/engines";
import { serveService } from "@switchyard/service";
import { readConfig } from "./config.ts";
import { createConfigurationService, databaseName, serviceName } from "./service.ts";
import { checkTokenPepper } from "./token-pepper.ts";

const config = readConfig();
await serveService({
  name: serviceName,
  database: databaseName,
  config,
  async create({ storage, logger, pageTokenSecret, secret }) {
    const tokenPepper = createTokenPepper(secret);
    await checkTokenPepper(storage, tokenPepper);
    const engines = openEngines({ definitions: config.engines });
    const service = createConfigurationService({ storage, logger, tokenPepper, pageTokenSecret, engines });
    return {
      ...service,
      async stop() {
        await engines.close();
        await service.stop();
      },
    };
  },
});
