import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sample } from "../../journeys/fixture.ts";
import { describeWith } from "../../programs.ts";
import { givenOffice } from "../../specification/testing/office.ts";
import { run } from "./run.ts";

const identity = "switchyard.identity.v1.IdentityService";
const extraction = "switchyard.extraction.v1.ExtractionService";
const health = "grpc.health.v1.Health";

/** Returns the JSON messages that grpcurl printed one after the other. */
function parseMessages(text: string): any[] {
  return text.split(/(?<=^\})\n/m).flatMap((part) => (part.trim() === "" ? [] : [JSON.parse(part)]));
}

/** Uses the gRPC port only by its reflection, as a developer with a token would. */
describeWith({ variable: "GRPCURL_BINARY", name: "grpcurl" }, "grpcurl", (path) => {
  const given = givenOffice();

  /** Calls grpcurl with flags, the address and what follows it. */
  const grpcurl = (flags: readonly string[], words: readonly string[], input?: string) =>
    run(path, ["-plaintext", ...flags, `127.0.0.1:${given.system.grpcPort}`, ...words], input);
  const withToken = () => ["-H", `authorization: Bearer ${given.system.token}`];
  /** Returns the error of a call. */
  async function fail(flags: readonly string[], method: string): Promise<any> {
    const { code, stderr } = await grpcurl(["-format-error", ...flags], [method]);
    return { exit: code, ...JSON.parse(stderr.slice(stderr.indexOf("{"))) };
  }

  it("lists the public services and describes their methods and messages", async () => {
    const services = (await grpcurl([], ["list"])).stdout.trim().split("\n");
    expect(services).toEqual(expect.arrayContaining([health, identity, extraction]));
    expect(services.filter((service) => service.includes("internal"))).toEqual([]);
    for (const service of services) {
      const { code, stdout } = await grpcurl([], ["describe", service]);
      expect([service, code, stdout]).toEqual([service, 0, expect.stringContaining("rpc ")]);
    }
    const { stdout } = await grpcurl(["-msg-template"], ["describe", "switchyard.classifier.v1.ClassifyRequest"]);
    expect(stdout).toContain('"classifierId": ""');
  });

  it("calls a method with a token, and gets the ID of the request back", async () => {
    const flags = ["-v", ...withToken(), "-H", "x-request-id: from-grpcurl"];
    const { code, stdout } = await grpcurl(flags, [`${identity}/GetMe`]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('"name": "Ada"')]);
    expect(stdout).toContain("x-request-id: from-grpcurl");
  });

  it("prints errors with their details", async () => {
    const missing = await fail([], `${identity}/GetMe`);
    expect(missing).toMatchObject({
      exit: 64 + 16,
      code: 16,
      details: [{ reason: "TOKEN_MISSING", domain: "switchyard" }],
    });
    const unknown = await fail([...withToken(), "-d", '{"fileId":"fil_nothing"}'], `${extraction}/GetFile`);
    expect(unknown).toMatchObject({ exit: 64 + 5, code: 5 });
    expect(unknown.details).toContainEqual(expect.objectContaining({ reason: "FILE_NOT_FOUND" }));
    const invalid = await fail([...withToken(), "-d", '{"name":""}'], `${identity}/CreateProject`);
    expect(invalid).toMatchObject({ exit: 64 + 3, code: 3 });
    expect(invalid.details).toContainEqual({
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [expect.objectContaining({ field: "name" })],
    });
  });

  it("uploads a file as a stream and downloads it as a stream", async () => {
    const bytes = Buffer.from(await sample("invoice-harbour-lane.pdf"));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, index) =>
      bytes.subarray(index * 1000, (index + 1) * 1000),
    );
    const messages = pieces.map((data, index) => ({
      ...(index === 0 ? { projectId: given.office.projectId, filename: "invoice.pdf" } : {}),
      data: data.toString("base64"),
      last: index === pieces.length - 1,
    }));
    const input = messages.map((message) => JSON.stringify(message)).join("\n");
    const uploaded = await grpcurl([...withToken(), "-d", "@"], [`${extraction}/UploadFile`], input);
    expect(uploaded.stderr).toBe("");
    const [file] = parseMessages(uploaded.stdout);
    expect(file).toMatchObject({ filename: "invoice.pdf", size: bytes.length, status: "FILE_STATUS_READ" });
    const request = JSON.stringify({ fileId: file.id });
    const downloaded = await grpcurl([...withToken(), "-d", request], [`${extraction}/GetFileContent`]);
    const parts = parseMessages(downloaded.stdout).map(({ data = "" }) => Buffer.from(data, "base64"));
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  it("checks the health of the server and of each service", async () => {
    for (const service of ["", identity]) {
      const { stdout } = await grpcurl(["-d", JSON.stringify({ service })], [`${health}/Check`]);
      expect(JSON.parse(stdout)).toEqual({ status: "SERVING" });
    }
    expect(await fail(["-d", '{"service":"nothing"}'], `${health}/Check`)).toMatchObject({ code: 5 });
  });

  it("gets DEADLINE_EXCEEDED for a stream that its deadline ends", async () => {
    const calls = Array.from({ length: 5 }, () => grpcurl(["-max-time", "2"], [`${health}/Watch`]));
    for (const { code, stderr } of await Promise.all(calls)) {
      expect([code, stderr]).toEqual([64 + 4, expect.stringContaining("Code: DeadlineExceeded")]);
    }
  });

  it("gets UNIMPLEMENTED for a method that the server does not have", async () => {
    const folder = await mkdtemp(join(tmpdir(), "switchyard-grpcurl-"));
    const proto = `syntax = "proto3"; package switchyard.identity.v1;
      message Empty {} service IdentityService { rpc Nothing(Empty) returns (Empty); }`;
    try {
      await writeFile(join(folder, "nothing.proto"), proto);
      const flags = ["-import-path", folder, "-proto", "nothing.proto", ...withToken()];
      expect(await fail(flags, `${identity}/Nothing`)).toMatchObject({ exit: 64 + 12, code: 12 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
