import { createTokenPepper } from "@switchyard/access";
import { serveService } from "@switchyard/service";
import { readConfig } from "./config.ts";
import { createConfigurationService, databaseName, serviceName } from "./service.ts";
import { checkTokenPepper } from "./token-pepper.ts";

await serveService({
  name: serviceName,
  database: databaseName,
  config: readConfig(),
  async create({ storage, logger, pageTokenSecret, secret }) {
    const tokenPepper = createTokenPepper(secret);
    await checkTokenPepper(storage, tokenPepper);
    const service = createConfigurationService({ storage, logger, tokenPepper, pageTokenSecret });
    // The service has no other background work, so nothing remains to be stopped after its streams.
    return { ...service, endStreams: () => service.stop(), stop: async () => undefined };
  },
});
