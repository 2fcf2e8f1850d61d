import { execFile } from "node:child_process";
import { join } from "node:path";
import { root } from "../processes.ts";
import { givenSystem } from "../specification/testing/office.ts";

const list = "switchyard.identity.v1.IdentityService/ListProjects";

/** Calls the API with nothing but `buf` and a token. */
describe("buf curl", () => {
  const given = givenSystem("shared");

  /** Returns the output, including errors. */
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
      const url = `http://127.0.0.1:${given.system.grpcPort}`;
      const services = (await curl(...ways, "--list-services", url)).split("\n");
      expect(services).toEqual(
        expect.arrayContaining(["grpc.health.v1.Health", "switchyard.identity.v1.IdentityService"]),
      );
      expect(services.filter((name) => name.includes("internal"))).toEqual([]);
      const token = ["-H", `Authorization: Bearer ${given.system.token}`];
      expect(JSON.parse(await curl(...ways, ...token, "-d", "{}", `${url}/${list}`))).toEqual({});
      expect(await curl(...ways, "-d", "{}", `${url}/${list}`)).toMatch(/"code": "unauthenticated"/);
    },
  );

  it("cannot list the services of the HTTP port, which serves reflection over HTTP/1.1 only", async () => {
    const envelope = Buffer.from('\0\0\0\0\u0013{"listServices":""}');
    for (const type of ["application/connect+json", "application/grpc-web+json"]) {
      const response = await fetch(`${given.system.url}/grpc.reflection.v1.ServerReflection/ServerReflectionInfo`, {
        method: "POST",
        body: new Uint8Array(envelope),
        headers: { "content-type": type },
      });
      expect(await response.text()).toContain('{"name":"switchyard.identity.v1.IdentityService"}');
    }
    for (const protocol of ["grpcweb", "connect"]) {
      expect(await curl("--protocol", protocol, "--list-services", given.system.url)).toMatch(/^Failure: /);
    }
  });

  it.each(["grpcweb", "connect"])("calls methods of the contracts on the HTTP port, over %s", async (protocol) => {
    const ways = ["--protocol", protocol, "--schema", "proto"];
    const token = ["-H", `Authorization: Bearer ${given.system.token}`];
    expect(JSON.parse(await curl(...ways, ...token, "-d", "{}", `${given.system.url}/${list}`))).toEqual({});
    expect(await curl(...ways, "-d", "{}", `${given.system.url}/${list}`)).toMatch(/"code": "unauthenticated"/);
  });
});
