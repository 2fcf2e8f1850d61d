import { z } from "zod";
import { address, decimal, logLevel, mongodbUri, port, readEnvironment, rootSecret } from "./index.ts";

const schema = z.object({
  LISTEN: address("127.0.0.1:8191"),
  PORT: port(8080),
  LOG_LEVEL: logLevel("info"),
  MONGODB_URI: mongodbUri.optional(),
  SWITCHYARD_SECRET: rootSecret,
});

describe("readEnvironment", () => {
  it("uses the default if a variable is absent or empty", () => {
    expect(readEnvironment(schema, { PORT: "" })).toEqual({
      LISTEN: { host: "127.0.0.1", port: 8191 },
      PORT: 8080,
      LOG_LEVEL: "info",
    });
  });

  it("reads the variables", () => {
    expect(readEnvironment(schema, { LISTEN: "10.0.0.7:1", PORT: "0", LOG_LEVEL: "silent" })).toMatchObject({
      LISTEN: { host: "10.0.0.7", port: 1 },
      PORT: 0,
      LOG_LEVEL: "silent",
    });
  });

  it("reports all invalid variables at once, without their values", () => {
    const wrong = {
      LISTEN: "nowhere:99999",
      PORT: "x7",
      LOG_LEVEL: "loud",
      SWITCHYARD_SECRET: "hunter2",
      MONGODB_URI: "http://db",
    };
    const read = (): unknown => readEnvironment(schema, wrong);
    for (const name of Object.keys(wrong)) expect(read).toThrow(name);
    for (const value of Object.values(wrong)) expect(read).not.toThrow(value);
  });

  it("reads numbers as decimals only, so that a blank is not 0", () => {
    const read = (LIMIT: string) => readEnvironment(z.object({ LIMIT: decimal(z.number().max(9)) }), { LIMIT }).LIMIT;
    expect(["0", "9", "0.5", "-1", " 7 "].map(read)).toEqual([0, 9, 0.5, -1, 7]);
    for (const wrong of [" ", "0x1", "1e0", "Infinity", "1,5", "1 2", "10"]) expect(() => read(wrong)).toThrow("LIMIT");
    for (const wrong of ["0x10", "1e3", " "]) expect(() => readEnvironment(schema, { PORT: wrong })).toThrow("PORT");
  });
});
