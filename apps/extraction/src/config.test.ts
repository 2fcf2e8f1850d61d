import { readConfig } from "./config.ts";

describe("readConfig", () => {
  it("has a default for everything", () => {
    expect(readConfig({})).toMatchObject({
      address: { host: "127.0.0.1", port: 8192 },
      configuration: { host: "127.0.0.1", port: 8191 },
      logLevel: "info",
      documents: { retentionMs: 30 * 24 * 60 * 60 * 1000, parallel: 2, leaseMs: 30_000, readTimeoutMs: 20_000 },
    });
  });

  it("names every variable with an invalid value", () => {
    const wrong = {
      EXTRACTION_ADDRESS: "somewhere",
      CONFIGURATION_ADDRESS: "127.0.0.1:99999",
      MONGODB_URI: "postgres://",
      SWITCHYARD_SECRET: "short",
      LOG_LEVEL: "loud",
      SWITCHYARD_FILE_RETENTION_DAYS: "-1",
      SWITCHYARD_EXTRACTION_PARALLEL: "many",
      SWITCHYARD_EXTRACTION_LEASE_SECONDS: "0",
      SWITCHYARD_READ_TIMEOUT_SECONDS: "forever",
      SWITCHYARD_OCR_PARALLEL: "17",
    };
    for (const name of Object.keys(wrong)) expect(() => readConfig(wrong)).toThrow(name);
  });
});
