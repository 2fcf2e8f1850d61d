import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { createLogger, freePort } from "@switchyard/rpc";
import { PassThrough } from "node:stream";
import { connectStorage } from "./connection.ts";

describe("connecting to a database", () => {
  it("waits for one that starts later, and says so, if there is a logger", async () => {
    const port = await freePort();
    const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`;
    const log = new PassThrough();
    const logger = createLogger({ name: "test", level: "warn", destination: log });
    const connecting = connectStorage({ uri, database: "late", logger });
    const without = connectStorage({ uri, database: "late" });
    await expect(without).rejects.toThrow(/ECONNREFUSED/);
    const server = await startEmbeddedMongo({ folder: ":memory:", port });
    const storage = await connecting;
    await storage.ping();
    expect(String(log.read())).toContain("The database cannot be reached; trying again");
    await storage.close();
    await server.close();
  });
});
