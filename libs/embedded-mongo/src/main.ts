import { closeOnTermination, dataFolder, makeDataFolder, port, readEnvironment } from "@switchyard/environment";
import { join } from "node:path";
import { z } from "zod";
import { createEmbeddedMongoServer } from "./server.ts";

// The process of `embedded-mongo:serve`, which owns a data folder for services that run in separate processes.
const environment = z.object({ SWITCHYARD_DATA: dataFolder, EMBEDDED_MONGO_PORT: port(8190) });
const { SWITCHYARD_DATA, EMBEDDED_MONGO_PORT } = readEnvironment(environment, process.env);

await makeDataFolder(SWITCHYARD_DATA);
const server = await createEmbeddedMongoServer({ folder: join(SWITCHYARD_DATA, "store"), port: EMBEDDED_MONGO_PORT });
process.stdout.write(
  `embedded-mongo: serving ${SWITCHYARD_DATA} at ${server.uri} (a subset of MongoDB, for one machine)\n`,
);
closeOnTermination(() => server.close());
