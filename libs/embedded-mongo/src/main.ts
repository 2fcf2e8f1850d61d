import { resolve } from "node:path";
import { createEmbeddedMongoServer } from "./server.ts";

// The process behind `embedded-mongo:serve`: the one owner of a data folder, for services that are processes.
const folder = resolve(process.env["SWITCHYARD_DATA"] ?? ".switchyard");
const port = Number(process.env["EMBEDDED_MONGO_PORT"] ?? "27027");

const server = await createEmbeddedMongoServer({ folder, port });
process.stdout.write(`embedded-mongo: serving ${folder} at ${server.uri} (a subset of MongoDB, for one machine)\n`);
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => void server.close());
}
