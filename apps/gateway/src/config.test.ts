import { join } from "node:path";
import { readConfig } from "./config.ts";

describe("readConfig", () => {
  it("has a default for everything; an empty variable counts as absent", () => {
    expect(readConfig({ PORT: "" })).toEqual({
      host: "127.0.0.1",
      port: 8080,
      grpcPort: 8081,
      logLevel: "info",
      addresses: {
        configuration: { host: "127.0.0.1", port: 8191 },
        extraction: { host: "127.0.0.1", port: 8192 },
        classifier: { host: "127.0.0.1", port: 8193 },
        benchmark: { host: "127.0.0.1", port: 8194 },
      },
      secret: undefined,
      dataFolder: join(import.meta.dirname, "../../../.switchyard"),
      limits: {
        maxConnections: 1_000,
        maxRequests: 2_000,
        maxBodyBytes: 134_217_728,
        requestTimeoutMs: 60_000,
        deadlineMs: 60_000,
      },
      requestsPerMinute: 600,
      corsOrigins: [],
      console: true,
    });
  });

  it("reads the variables", () => {
    const given = {
      PORT: "0",
      HOST: "::1",
      CLASSIFIER_ADDRESS: "classifier.internal:50051",
      SWITCHYARD_SECRET: "ab".repeat(32),
      SWITCHYARD_CORS_ORIGINS: "https://app.example, http://localhost:3000,",
      SWITCHYARD_CONSOLE: "off",
    };
    expect(readConfig(given)).toMatchObject({
      port: 0,
      host: "::1",
      addresses: { classifier: { host: "classifier.internal", port: 50051 } },
      secret: "ab".repeat(32),
      corsOrigins: ["https://app.example", "http://localhost:3000"],
      console: false,
    });
  });

  it.each([
    ["PORT", "x"],
    ["SWITCHYARD_CONSOLE", "false"],
    ["SWITCHYARD_MAX_CONNECTIONS", "9"],
    ["SWITCHYARD_UPLOAD_MEMORY", "39"],
    ["SWITCHYARD_REQUEST_TIMEOUT_SECONDS", "0"],
    ["SWITCHYARD_CORS_ORIGINS", "*"],
    ["SWITCHYARD_CORS_ORIGINS", "https://app.example, null"],
    ["SWITCHYARD_CORS_ORIGINS", "https://app.example/"],
    ["SWITCHYARD_CORS_ORIGINS", "intranet.example"],
    ["SWITCHYARD_CORS_ORIGINS", "https://App.example"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["GRPC_PORT", "1e9"],
    ["LOG_LEVEL", "loud"],
    ["EXTRACTION_ADDRESS", "http://x:1"],
    ["CONFIGURATION_ADDRESS", "x"],
    ["SWITCHYARD_SECRET", "deadbeef"],
    ["SWITCHYARD_SECRET", `${"ab".repeat(32)}c`],
  ])("names the variable with an invalid value: %s=%s", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(name);
    if (value.length > 5) expect(() => readConfig({ [name]: value })).not.toThrow(value);
  });
});
