import { execFile } from "node:child_process";
import { join } from "node:path";
import { root } from "../processes.ts";
import { startTestSystem } from "../system.ts";
import type { TestSystem } from "../system.ts";

const list = "switchyard.identity.v1.IdentityService/ListProjects";

/** What somebody does who has only `buf` and a token. */
describe("buf curl", () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await startTestSystem("one process");
  }, 120_000);
  afterAll(() => system?.close());

  /** What it printed, errors included. */
  function curl(...args: string[]): Promise<string> {
    const command = ["curl", ...args];
    return new Promise((resolve) => {
      execFile(join(root, "node_modules/.bin/buf"), command, { cwd: root, timeout: 60_000 }, (_, out, error) =>
        resolve(`${out}${error}`),
      );
    });
  }

  it.each(["grpc", "grpcweb", "connect"])(
    "finds and calls methods by reflection on the gRPC port, over %s",
    async (protocol) => {
      const ways = ["--protocol", protocol, "--http2-prior-knowledge"];
      const url = `http://127.0.0.1:${system.grpcPort}`;
      expect((await curl(...ways, "--list-services", url)).split("\n")).toEqual(
        expect.arrayContaining(["grpc.health.v1.Health", "switchyard.identity.v1.IdentityService"]),
      );
      const token = ["-H", `Authorization: Bearer ${system.token}`];
      expect(JSON.parse(await curl(...ways, ...token, "-d", "{}", `${url}/${list}`))).toEqual({});
      expect(await curl(...ways, "-d", "{}", `${url}/${list}`)).toMatch(/"code": "unauthenticated"/);
    },
    120_000,
  );

  it.each(["grpcweb", "connect"])(
    "calls methods of the contracts on the HTTP port, over %s",
    async (protocol) => {
      const ways = ["--protocol", protocol, "--schema", "proto"];
      const token = ["-H", `Authorization: Bearer ${system.token}`];
      expect(JSON.parse(await curl(...ways, ...token, "-d", "{}", `${system.url}/${list}`))).toEqual({});
      expect(await curl(...ways, "-d", "{}", `${system.url}/${list}`)).toMatch(/"code": "unauthenticated"/);
    },
    120_000,
  );
});
