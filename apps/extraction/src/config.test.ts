import { readConfig } from "./config.ts";

it("has defaults for everything", () => {
  expect(readConfig({})).toMatchObject({
    address: { host: "127.0.0.1", port: 8192 },
    configurationAddress: "127.0.0.1:8191",
    logLevel: "info",
    retentionMs: 30 * 24 * 60 * 60 * 1000,
    parallel: 2,
  });
});

it("names every variable with a wrong value", () => {
  const wrong = {
    EXTRACTION_ADDRESS: "somewhere",
    CONFIGURATION_ADDRESS: "127.0.0.1:99999",
    MONGODB_URI: "postgres://",
    SWITCHYARD_SECRET: "short",
    LOG_LEVEL: "loud",
    SWITCHYARD_FILE_RETENTION_DAYS: "-1",
    SWITCHYARD_EXTRACTION_PARALLEL: "many",
  };
  for (const [name, value] of Object.entries(wrong)) {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^Wrong environment: ${name}: `));
  }
  expect(() => readConfig(wrong)).toThrow(/LOG_LEVEL.*SWITCHYARD_FILE_RETENTION_DAYS/s);
});
