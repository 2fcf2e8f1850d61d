import { createServer } from "node:http";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { acceptedInvoice, finishedExecution } from "../specification/testing/benchmarks.ts";
import { sample } from "../journeys/fixture.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { buildBundle, runToEnd } from "./bundle.ts";
import { createCliRunner, ended } from "./terminal.ts";
import type { CliRunner } from "./terminal.ts";

describe("switchyard api", () => {
  const given = givenOffice();
  let cli: CliRunner;
  beforeAll(async () => {
    cli = await createCliRunner(given.system);
  });
  afterAll(() => cli?.remove());

  const api = (...argv: string[]) => cli.run(["api", ...argv]);

  it("prints the body byte for byte, with and without /api/v1, and with parameters of the query", async () => {
    const { projectId } = given.office;
    const path = `/api/v1/projects/${projectId}/deployments`;
    const { text } = await given.rest.get(path);
    const forms = [path, path.slice(1), path.replace("/api/v1", ""), `projects/${projectId}/deployments`];
    for (const form of [...forms, `${given.system.url}${path}`])
      expect((await ended(api("get", form), 0)).stdout).toBe(text);
    const paused = (await given.rest.get(`${path}?status=PAUSED`)).text;
    expect(paused).not.toBe(text);
    expect((await ended(api("GET", path, "--query", "status=PAUSED"), 0)).stdout).toBe(paused);
    expect((await ended(api("GET", `${path}?status=PAUSED`), 0)).stdout).toBe(paused);
  });

  it("indents JSON on a terminal, without characters that a terminal would interpret", async () => {
    const { classifier } = given.office;
    await ended(api("PATCH", `classify/${classifier}`, "--data", '{"description": "a\\u202eb"}'), 0);
    const shown = await ended(cli.run(["api", "GET", `classify/${classifier}`], { terminal: 80 }), 0);
    expect(shown.stdout).toMatch(/^\{\n {2}"id": "clf_/);
    expect(shown.stdout).toContain('"description": "a\\u202eb"');
    const plain = await ended(cli.run(["api", "GET", "me", "-o", "json"], { terminal: 80 }), 0);
    expect(plain.stdout).toBe(`${(await given.rest.get("/api/v1/me")).text}\n`);
  });

  it("sends every method, with a body as text, from a file and from standard input", async () => {
    const name = async (projectId: string) => (await given.rest.get(`/api/v1/projects/${projectId}`)).body.name;
    const { id } = JSON.parse((await ended(api("POST", "projects", "--data", '{"name":"First"}'), 0)).stdout);
    await writeFile(join(cli.home, "second.json"), '{"name":"Second"}');
    await ended(api("PATCH", `projects/${id}`, "--data", "@second.json"), 0);
    expect(await name(id)).toBe("Second");
    await ended(cli.run(["api", "PATCH", `projects/${id}`, "--data", "-"], { stdin: '{"name":"Third"}' }), 0);
    expect(await name(id)).toBe("Third");
    expect(await ended(api("HEAD", `projects/${id}`), 0)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(await ended(api("DELETE", `projects/${id}`), 0)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect((await given.rest.get(`/api/v1/projects/${id}`)).status).toBe(404);
  });

  it("sends forms with texts and files", async () => {
    const { classifier } = given.office;
    await writeFile(join(cli.home, "receipt.pdf"), await sample("receipt-coffee.pdf"));
    const fields = ["--form", "externalId=a=b", "--form", "extract=false", "--form", "file=@receipt.pdf"];
    const record = JSON.parse((await ended(api("POST", `classify/${classifier}`, ...fields), 0)).stdout);
    expect(record).toMatchObject({
      filename: "receipt.pdf",
      externalId: "a=b",
      extraction: null,
      routeName: "Receipt",
    });
    const wrong = async (...argv: string[]) => (await ended(api("POST", `classify/${classifier}`, ...argv), 2)).stderr;
    expect(await wrong("--form", "file")).toContain('--form takes NAME=VALUE, not "file"');
    expect(await wrong("--form", "file=@none.pdf")).toContain("none.pdf cannot be read");
    expect(await wrong(...fields, "--data", "{}")).toContain("--data and --form exclude each other");
    expect(await wrong(...fields, "--header", "content-type: text/plain")).toContain("leave the header out");
    expect((await ended(api("GET", "me", "--form", "a=b"), 2)).stderr).toContain("has no body");
  });

  it("uploads and downloads files byte for byte", async () => {
    const bytes = await sample("receipt-coffee.pdf");
    await writeFile(join(cli.home, "receipt.pdf"), bytes);
    const upload = ["--query", "filename=receipt.pdf", "--header", "Content-Type: application/pdf"];
    const path = `projects/${given.office.projectId}/files`;
    const { id } = JSON.parse((await ended(api("POST", path, ...upload, "--data", "@receipt.pdf"), 0)).stdout);

    const note = (await ended(api("GET", `files/${id}/content`, "--output-file", "copy.pdf"), 0)).stderr;
    expect(note).toBe(`copy.pdf: ${bytes.length} bytes\n`);
    expect(new Uint8Array(await readFile(join(cli.home, "copy.pdf")))).toEqual(bytes);
    if (process.platform !== "win32") {
      // What is not a file, such as /dev/null, must not be replaced by one, and neither must a link.
      const [pipe, link] = [join(cli.home, "pipe"), join(cli.home, "link.pdf")];
      expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
      const [read] = await Promise.all([
        readFile(pipe),
        ended(api("GET", `files/${id}/content`, "--output-file", "pipe"), 0),
      ]);
      expect(new Uint8Array(read)).toEqual(bytes);
      await symlink("linked.pdf", link);
      await writeFile(join(cli.home, "linked.pdf"), "before", { mode: 0o600 });
      await ended(api("GET", `files/${id}/content`, "--output-file", "link.pdf"), 0);
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
      expect(new Uint8Array(await readFile(join(cli.home, "linked.pdf")))).toEqual(bytes);
      expect((await stat(join(cli.home, "linked.pdf"))).mode & 0o777).toBe(0o600);
      await chmod(join(cli.home, "linked.pdf"), 0o666);
      await ended(api("GET", `files/${id}/content`, "--output-file", "link.pdf"), 0);
      expect((await stat(join(cli.home, "linked.pdf"))).mode & 0o777).toBe(0o666);
      const longest = `${"x".repeat(251)}.pdf`;
      await ended(api("GET", `files/${id}/content`, "--output-file", longest), 0);
      expect(new Uint8Array(await readFile(join(cli.home, longest)))).toEqual(bytes);
    }
    const onTerminal = cli.run(["api", "GET", `files/${id}/content`], { terminal: 80 });
    expect((await ended(onTerminal, 2)).stderr).toContain("use --output-file");
    await ended(api("GET", "files/fil_nothing/content", "--output-file", "nothing"), 5);
    expect(JSON.parse((await ended(api("GET", "me", "--output-file", "-"), 0)).stdout)).toHaveProperty("organization");
    expect((await readdir(cli.home)).filter((name) => /nothing|part|^-$/.test(name))).toEqual([]);

    // As a process, so that the bytes go through a real pipe.
    const bundle = await buildBundle();
    try {
      const { url, token } = given.system;
      const command = ["-c", `"$0" "$1" api GET files/${id}/content | cat > piped.pdf`, process.execPath, bundle.file];
      const environment = { SWITCHYARD_BASE_URL: url, SWITCHYARD_TOKEN: token };
      const piped = await runToEnd("/bin/sh", command, { cwd: cli.home, environment });
      expect(piped).toEqual({ exitCode: 0, stdout: "", stderr: "" });
      expect(new Uint8Array(await readFile(join(cli.home, "piped.pdf")))).toEqual(bytes);
      if (existsSync("/dev/full")) {
        const full = await runToEnd("/bin/sh", ["-c", `"$0" "$1" whoami > /dev/full`, process.execPath, bundle.file], {
          cwd: cli.home,
          environment,
        });
        expect(full.exitCode).toBe(1);
        expect(full.stderr).toMatch(/^error: the output cannot be written: .*ENOSPC/);
      }
    } finally {
      await bundle.remove();
    }
  });

  it("prints streams, as server-sent events or as lines of JSON", async () => {
    const { rest, office } = given;
    await acceptedInvoice(rest, office, "one.pdf", await sample("invoice-harbour-lane.pdf"));
    const benchmark = { deploymentId: office.invoices, name: "Nightly" };
    const { executionId } = await getBody(rest.post(`/api/v1/projects/${office.projectId}/benchmarks`, benchmark), 201);
    await finishedExecution(rest, executionId);
    const path = `benchmarks/${executionId}/events`;
    expect((await ended(api("GET", path), 0)).stdout).toMatch(/^data: \{.*"COMPLETED"/m);
    const lines = await ended(api("GET", path, "--header", "accept: application/x-ndjson"), 0);
    expect(JSON.parse(lines.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ status: "COMPLETED" });
    const seen = await ended(cli.run(["api", "GET", path], { terminal: 80 }), 0);
    expect(seen.stdout).toContain('"COMPLETED"');
  });

  it("sends an idempotency key and conditions, and prints headers on request", async () => {
    const post = ["POST", "projects", "--data", '{"name":"Once"}', "--header", "Idempotency-Key: one", "--include"];
    const first = await ended(api(...post), 0);
    const again = await ended(api(...post), 0);
    expect(again.stdout).toBe(first.stdout);
    expect(first.stderr).toMatch(/^201\n[^]*^location: \/api\/v1\/projects\//m);
    expect(again.stderr).toContain("idempotency-replayed: true");
    const etag = /^etag: (.*)$/m.exec((await ended(api("GET", "me", "--include"), 0)).stderr)?.[1] ?? "";
    const same = await ended(api("GET", "me", "--include", "--header", `If-None-Match: ${etag}`), 0);
    expect([same.stdout, same.stderr.split("\n")[0]]).toEqual(["", "304"]);
  });

  it("has the exit codes and the errors of the other commands", async () => {
    const refused = await ended(api("GET", "classify/clf_nothing"), 5);
    expect(refused).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/^error: .*\(404 CLASSIFIER_NOT_FOUND\)/),
    });
    const { classifier, receipts, projectId } = given.office;
    const route = JSON.stringify({ deploymentId: receipts });
    await ended(api("POST", `classify/${classifier}/routes`, "--data", route), 6);
    await ended(api("POST", "projects", "--data", "{"), 1);
    await ended(api("GET", `projects/${projectId}/schema`), 5);
    await ended(cli.run(["api", "GET", "me"], { environment: { SWITCHYARD_TOKEN: "swy_wrong" } }), 3);
    await ended(cli.run(["api", "GET", "me"], { environment: { SWITCHYARD_BASE_URL: "http://127.0.0.1:1" } }), 7);
  });

  it("refuses other servers, relative paths and wrong options without a request", async () => {
    const heard: string[] = [];
    const other = createServer((request, response) => {
      heard.push(request.url ?? "");
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    try {
      for (const argv of [
        ["GET", `http://127.0.0.1:${port}/api/v1/me`],
        ["GET", `//127.0.0.1:${port}/api/v1/me`],
        ["GET", `\\\\127.0.0.1:${port}/me`],
        ["GET", "../../healthz"],
        ["GET", "/api/v1/%2e%2e/%2E./healthz"],
        ["GET", "projects/{projectId}"],
        ["GET", "me\n"],
        ["LIST", "me"],
        ["GET", "me", "--data", "{}"],
        ["GET", "me", "--query", "status"],
        ["GET", "me", "--header", "authorization: Bearer x"],
        ["GET", "me", "--header", "no value"],
        ["POST", "projects", "--data", "@not-there.json"],
      ])
        expect([argv, (await api(...argv)).exitCode]).toEqual([argv, 2]);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
    expect(heard).toEqual([]);
  });
});
