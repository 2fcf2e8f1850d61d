import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createClient } from "@connectrpc/connect";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RestResponse } from "../../rest.ts";
import { createRest } from "../../rest.ts";
import { startTestSystem } from "../../system.ts";
import type { TestSystem } from "../../system.ts";
import { createCommandTap } from "../testing/command-tap.ts";
import type { CommandTap } from "../testing/command-tap.ts";
import { getName, rpcs, send, sendText, getTarget } from "../testing/rpcs.ts";
import { createSampleWorld } from "../testing/sample-world.ts";
import type { SampleWorld } from "../testing/sample-world.ts";
import { getSamples } from "../testing/samples.ts";
import { createStoredState } from "../testing/stored.ts";

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";

/** Returns a secret as it is, in hexadecimal, and in base64 with each of the three alignments. */
function getSpellings(secret: string): string[] {
  // The first characters are public, so that users recognize the token.
  const hidden = secret.slice(8);
  const base64 = ["", "x", "xx"].map((before) =>
    Buffer.from(before + hidden)
      .toString("base64")
      .slice(4, -4),
  );
  return [hidden, Buffer.from(hidden).toString("hex"), ...base64];
}

/** Returns the prefixes of the secrets that are in a text or file. */
function found(secrets: readonly string[], where: string | Buffer): string[] {
  return secrets.filter((secret) => getSpellings(secret).some((spelling) => where.includes(spelling)));
}

/** Section 8 of the API: a token is in no log line, error, trace or file, whatever the requests with it. */
describe("the secrets of tokens", () => {
  let system: TestSystem;
  let world: SampleWorld;
  let folder: string;
  let tap: CommandTap;
  /** The marker, and every secret that is issued during the test. */
  const secrets: string[] = [];
  const leaks: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-marker-"));
    system = await startTestSystem("separate processes", {
      logLevel: "trace",
      folder,
      between: async (uri) => (tap = await createCommandTap(uri)),
    });
    secrets.push(system.token);
    world = await createSampleWorld(system.url, system.token);
  });
  afterAll(async () => {
    // With SIGTERM they would wait for the database, which has ended.
    for (const service of ["gateway", "classifier", "benchmark", "extraction", "configuration"])
      await system?.stop(service, "SIGKILL");
    await system?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Searches a response. A secret that the response issues is allowed in it once, and is added to the secrets to search for. */
  function look(what: string, { text, headers, body }: RestResponse): void {
    const exposed = JSON.stringify([text, [...headers]]);
    leaks.push(...found(secrets, exposed).map((secret) => `${what} answers ${secret.slice(0, 8)}`));
    if (typeof body?.secret === "string") secrets.push(body.secret);
  }

  it("are in no response except for the one that issues them", async () => {
    for (const [index, route] of rpcs.entries()) {
      for (const sample of getSamples(route)) {
        const what = getName(route);
        look(what, await send(world.rest, route, await sample(world)));
        const request = await sample(world);
        const target = getTarget(route, request);
        look(
          what,
          await sendText(world.rest, route, `${target.split("?")[0]}?access_token=${system.token}`, undefined),
        );
        if (route.body === undefined) continue;
        // The one with a secret, and another one for each method in turn; all with long counts.
        const others = ["{", "[]", '{"unknown": 1}'].filter((_, at) => isLong || at === index % 3);
        for (const body of [`{"name": 7, "authorization": "Bearer ${system.token}"}`, ...others]) {
          look(what, await sendText(world.rest, route, target, body));
        }
      }
    }
    expect(leaks).toEqual([]);
  });

  it("are in no response to requests that have them in the wrong place", async () => {
    const { token, url } = system;
    const anonymous = createRest(url);
    const wrong: Record<string, string>[] = [
      { authorization: token },
      { authorization: `Basic ${token}` },
      { authorization: `Bearer ${token}x` },
      { authorization: `Bearer ${token}, Bearer ${token}` },
      { authorization: `Bearer ${token.slice(0, -1)}` },
      { "x-api-key": token },
      { cookie: `token=${token}` },
    ];
    for (const headers of wrong) {
      const response = await anonymous.send("/api/v1/me", { headers });
      look("GetMe", response);
      expect(response.status).toBe(401);
    }
    for (const baseUrl of [url, `http://127.0.0.1:${system.grpcPort}`]) {
      const transport =
        baseUrl === url ? createConnectTransport({ baseUrl, httpVersion: "1.1" }) : createGrpcTransport({ baseUrl });
      const client = createClient(IdentityService, transport);
      const headers = { authorization: `Bearer ${token}` };
      await client.getMe({}, { headers });
      const error: unknown = await client
        .getProject({ projectId: "prj_none" }, { headers })
        .catch((caught: unknown) => caught);
      expect(found(secrets, String(error))).toEqual([]);
    }
    expect(leaks).toEqual([]);
  });

  it("are in no output of the services", async () => {
    const id = "marker-run-7";
    await world.rest.send("/api/v1/me", { headers: { "x-request-id": id } });
    for (const deadline = Date.now() + 60_000; !system.output().includes(id) && Date.now() < deadline;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const output = system.output();
    expect(output).toContain(id);
    expect(found(secrets, output)).toEqual([]);
    expect(secrets.length).toBeGreaterThan(3);
  });

  it("are in no stored document and no file", async () => {
    const stored = await createStoredState(system.uri);
    const documents = [...(await stored.documents()).values()].join("\n");
    await stored.close();
    expect(documents).toContain(system.token.slice(0, 8));
    expect(found(secrets, documents)).toEqual([]);
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const withSecrets = [];
    for (const { parentPath, name } of files) {
      if (found(secrets, await readFile(join(parentPath, name))).length > 0) withSecrets.push(name);
    }
    expect(files.length).toBeGreaterThan(0);
    expect(withSecrets).toEqual([]);
  });

  it("are in no response and no output when the database has ended", async () => {
    await tap.close();
    const rest = createRest(system.url, system.token, {}, 0);
    const gone = ["/api/v1/tokens", `/api/v1/files/${world.file}`, `/api/v1/classify/${world.classifier}`];
    const responses = await Promise.all([
      ...gone.map((path) => rest.get(path)),
      rest.post("/api/v1/users", { name: "Nobody" }),
    ]);
    for (const response of responses) look("without a database", response);
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 503));
    expect(leaks).toEqual([]);
    expect(found(secrets, system.output())).toEqual([]);
  });
});
