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
    return createConfigurationService({ storage, logger, tokenPepper, pageTokenSecret });
  },
});
