import { join } from "node:path";
import { readConfig } from "./config.ts";

describe("readConfig", () => {
  it("has a default for everything", () => {
    expect(readConfig({})).toEqual({
      address: { host: "127.0.0.1", port: 8191 },
      mongodbUri: "mongodb://127.0.0.1:8190/?replicaSet=rs0&directConnection=true",
      secret: undefined,
      dataFolder: join(import.meta.dirname, "../../../.switchyard"),
      logLevel: "info",
      engines: [],
    });
  });

  it("reads the variables", () => {
    const config = readConfig({
      CONFIGURATION_ADDRESS: "0.0.0.0:0",
      SWITCHYARD_SECRET: "ab".repeat(32),
      LOG_LEVEL: "warn",
    });
    expect(config).toMatchObject({ address: { host: "0.0.0.0", port: 0 }, secret: "ab".repeat(32), logLevel: "warn" });
  });

  it("names every variable with an invalid value, and never shows a secret", () => {
    const wrong = {
      CONFIGURATION_ADDRESS: "localhost",
      MONGODB_URI: "postgres://x",
      SWITCHYARD_SECRET: "abcd",
      LOG_LEVEL: "loud",
    };
    const read = (): unknown => readConfig(wrong);
    for (const name of Object.keys(wrong)) expect(read).toThrow(name);
    expect(read).not.toThrow("abcd");
    expect(() => readConfig({ CONFIGURATION_ADDRESS: "a:70000" })).toThrow("CONFIGURATION_ADDRESS");
  });
});
