import { freePort } from "@switchyard/rpc";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { root } from "../processes.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { createCliRunner, ended } from "./terminal.ts";
import type { CliRunner } from "./terminal.ts";

describe("the command line", () => {
  const given = givenOffice();
  let cli: CliRunner;
  /** A runner without a token. */
  let outsider: CliRunner;
  beforeAll(async () => {
    cli = await createCliRunner(given.system);
    outsider = await createCliRunner(undefined);
  });
  afterAll(() => Promise.all([cli?.remove(), outsider?.remove()]));

  const profiles = () => join(outsider.home, ".config", "switchyard", "profiles.json");

  it("stores a valid token in a file that only its owner can read, and deletes it on logout", async () => {
    const { url, token } = given.system;
    const login = ["login", "--token-stdin", "--base-url", url];
    const refused = await ended(outsider.run(login, { stdin: "swy_wrong\n" }), 3);
    expect(refused.stderr).toMatch(/^error: .*\(401 TOKEN_INVALID\)\n {2}hint: .*login.*\n {2}request ID: \S+\n$/);
    await expect(stat(profiles())).rejects.toThrow("ENOENT");

    const done = await ended(outsider.run(login, { stdin: `${token}\n` }), 0);
    expect(done.stderr).toContain("as Ada of Acme");
    expect(done.stdout + done.stderr).not.toContain(token);
    expect((await stat(profiles())).mode & 0o777).toBe(0o600);
    // Even if its permissions were changed in the meantime.
    await chmod(profiles(), 0o644);
    await ended(outsider.run([...login, "--profile", "work"], { stdin: token }), 0);
    expect((await stat(profiles())).mode & 0o777).toBe(0o600);

    expect((await ended(outsider.run(["whoami"]), 0)).stdout).toMatch(/^token from\tprofile default$/m);
    // Another token for a profile is verified by its server, and not by the one that is used without a profile.
    const renewed = await ended(outsider.run(["login", "--token-stdin", "--profile", "work"], { stdin: token }), 0);
    expect(renewed.stderr).toContain(`Logged in to ${url} `);
    const named = await ended(outsider.run(["whoami"], { environment: { SWITCHYARD_PROFILE: "work" } }), 0);
    expect(named.stdout).toMatch(/^token from\tprofile work$/m);
    await ended(outsider.run(["logout"]), 0);
    const none = await ended(outsider.run(["whoami"]), 3);
    expect(none.stderr).toContain("switchyard login");
    await ended(outsider.run(["whoami", "--profile", "work"]), 0);
    await ended(outsider.run(["logout", "--profile", "work"]), 0);
    for (const profile of ["work", "constructor"]) await ended(outsider.run(["logout", "--profile", profile]), 5);
    expect(await readFile(profiles(), "utf8")).not.toContain(token);
  });

  it("prefers options to the environment, and the environment to the profile", async () => {
    const { url, token } = given.system;
    await ended(outsider.run(["login", "--token-stdin", "--base-url", url], { stdin: token }), 0);
    const environment = { SWITCHYARD_TOKEN: "swy_wrong" };
    await ended(outsider.run(["whoami"], { environment }), 3);
    const said = await ended(outsider.run(["whoami", "--token", token], { environment }), 0);
    expect(said.stdout).toMatch(/^token from\t--token$/m);
    await ended(outsider.run(["whoami", "--profile", "nobody"]), 2);
  });

  it("sends the token of a profile only to its server", async () => {
    const { url, token } = given.system;
    await ended(outsider.run(["login", "--token-stdin", "--base-url", url], { stdin: token }), 0);
    const heard: string[] = [];
    const other: Server = createServer((request, response) => {
      heard.push(request.url ?? "");
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const elsewhere = await ended(outsider.run(["whoami", "--base-url", `http://127.0.0.1:${port}`]), 2);
    expect(elsewhere.stderr).toContain("is for http://127.0.0.1:");
    expect(heard).toEqual([]);
    await new Promise((resolve) => other.close(resolve));
  });

  it("never prompts without a terminal", async () => {
    const { stderr } = await ended(outsider.run(["login"], { stdin: "" }), 2);
    expect(stderr).toContain("--token-stdin");
  });

  it("reports an invalid profile file, and leaves it unchanged", async () => {
    await writeFile(profiles(), "not JSON");
    const { stderr } = await ended(outsider.run(["whoami"]), 1);
    expect(stderr).toContain(profiles());
    expect(await readFile(profiles(), "utf8")).toBe("not JSON");
  });

  describe("exit codes", () => {
    it("0 for help, 2 for an unknown command", async () => {
      expect((await ended(cli.run(["--help"]), 0)).stdout).toContain("Exit codes:");
      expect((await ended(cli.run(["classify", "create", "--help"]), 0)).stdout).not.toMatch(/scope|global\b.*--/i);
      expect((await ended(cli.run(["--version"]), 0)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
      for (const argv of [
        [],
        ["clasify"],
        ["classify"],
        ["classify", "lst"],
        ["classify", "list"],
        ["classify", "get"],
        ["classify", "get", "a", "b"],
        ["classify", "create", "--project-id", "p", "--name", "n", "--scope", "GLOBAL"],
        ["classify", "list", "--project-id", "p", "--limit", "many"],
        ["classify", "list", "--project-id", "p", "--output", "yaml"],
        ["classify", "add-route", "c", "--deployment-id", "d", "--min-confidence", "high"],
        ["classify", "update-route", "c", "r", "--clear", "name"],
        ["classify", "update-route", "c", "r", "--clear", "example", "--example", "a text"],
        ["classify", "update", "c", "--settings", "{"],
        ["accepted-values", "set", "f", "--deployment-id", "d", "--tables", "@not-there.json"],
        ["accepted-values", "import", "not-there.jsonl", "--project-id", "p"],
        ["tokens", "create", "--name", "n", "--scope", "GLOBAL", "--permission", "classify"],
        ["help", "clasify"],
        ["--color", "classify", "list", "--project-id", "p"],
        ["classify", "run", "clf_1"],
        ["classify", "run", "clf_1", "not-there.pdf"],
        ["classify", "get", ".."],
        ["whoami", "--base-url", "localhost"],
        ["completion", "csh"],
      ]) {
        const { stdout, stderr } = await ended(cli.run(argv), 2);
        expect([argv, stdout]).toEqual([argv, ""]);
        expect(stderr).not.toBe("");
      }
      expect((await cli.run(["classify", "lst"])).stderr).toContain("unknown command 'lst'\n(Did you mean list?)");
    });

    it("0 for help and version as commands", async () => {
      for (const [word, flag] of [
        [["help"], ["--help"]],
        [
          ["help", "classify"],
          ["classify", "--help"],
        ],
        [
          ["help", "classify", "run"],
          ["classify", "run", "--help"],
        ],
        [["version"], ["--version"]],
      ] as const) {
        const { stdout } = await ended(cli.run(word), 0);
        expect([word, stdout]).toEqual([word, (await ended(cli.run(flag), 0)).stdout]);
      }
      expect((await ended(cli.run(["help", "classify", "run"]), 0)).stdout).toContain("--all-files");
    });

    it("0 with global options anywhere, even before noun and verb", async () => {
      const inProject = ["--project-id", given.office.projectId];
      const { stdout } = await ended(cli.run(["classify", "list", ...inProject, "--output", "json"]), 0);
      const { url, token } = given.system;
      for (const argv of [
        ["-o", "json", "classify", "list", ...inProject],
        ["classify", "--output=json", "list", ...inProject],
        ["--timeout", "30", "classify", "-ojson", "--no-header", "list", ...inProject],
      ]) {
        expect([argv, (await ended(cli.run(argv), 0)).stdout]).toEqual([argv, stdout]);
      }
      const global = ["--base-url", url, "--token", token, "whoami"];
      expect((await ended(outsider.run(global), 0)).stdout).toContain("Ada");
    });

    it("1 for a request that the API rejects, with the field", async () => {
      const { classifier, invoices } = given.office;
      const argv = ["classify", "add-route", classifier, "--deployment-id", invoices, "--min-confidence", "7"];
      const { stderr } = await ended(cli.run(argv), 1);
      expect(stderr).toMatch(/^error: minConfidence: .* \(400 INVALID_REQUEST\)\n {2}request ID: \S+\n$/);
    });

    it("3 without a token, also if nobody reads standard error", async () => {
      const program = [join(root, "apps/cli/bin/switchyard.js"), "whoami"];
      const env = { HOME: join(outsider.home, "nobody") };
      const child = spawn(process.execPath, program, { env, stdio: ["ignore", "ignore", "pipe"] });
      child.stderr.destroy();
      expect(await once(child, "exit")).toEqual([3, null]);
    });

    it("4 for a missing permission", async () => {
      const { rest, office, system } = given;
      const body = { name: "Reader", scope: "PROJECT", projectId: office.projectId, permissions: ["models:read"] };
      const { secret } = await getBody(rest.post("/api/v1/tokens", body), 201);
      const reader = await createCliRunner({ url: system.url, token: secret });
      const argv = ["classify", "create", "--project-id", office.projectId, "--name", "No"];
      const { stderr } = await ended(reader.run(argv), 4);
      expect(stderr).toContain("switchyard whoami");
      await reader.remove();
    });

    it("5 for an unknown resource, 6 for a conflict", async () => {
      const { classifier, receipts } = given.office;
      await ended(cli.run(["classify", "get", "clf_nothing"]), 5);
      const { stderr } = await ended(cli.run(["classify", "add-route", classifier, "--deployment-id", receipts]), 6);
      expect(stderr).toContain("409 ROUTE_EXISTS");
    });

    it("7 without a server", async () => {
      const environment = { SWITCHYARD_BASE_URL: `http://127.0.0.1:${await freePort()}` };
      const { stderr } = await ended(cli.run(["projects", "list"], { environment }), 7);
      expect(stderr).toMatch(
        /no connection to http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED[^]*hint: .*switchyard-server start/,
      );
    });

    it("7 for a login that the server does not answer in the time that is given", async () => {
      const silent = createServer(() => undefined).listen(0, "127.0.0.1");
      try {
        await new Promise((resolve) => silent.once("listening", resolve));
        const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
        const argv = ["login", "--token-stdin", "--base-url", baseUrl, "--timeout", "1"];
        expect((await ended(outsider.run(argv, { stdin: "swo_any" }), 7)).stderr).toContain("within 1 s");
      } finally {
        silent.closeAllConnections();
        silent.close();
      }
    });

    it("8 for a document without a route, if requested", async () => {
      const argv = ["classify", "run", given.office.classifier, "-", "--no-extract"];
      const stdin = "zzz";
      expect((await ended(cli.run(argv, { stdin }), 0)).stdout).toContain("UNCLASSIFIED");
      await ended(cli.run([...argv, "--fail-on-unclassified"], { stdin }), 8);
    });

    it("130 after an interrupt", async () => {
      const ending = new AbortController();
      ending.abort(new Error("ended by SIGINT"));
      const { stderr } = await ended(cli.run(["projects", "list"], { signal: ending.signal }), 130);
      expect(stderr).toBe("");
    });
  });

  describe("routes to models of other projects", () => {
    it("are rejected by a project classifier with a suggestion, and added to a global one", async () => {
      const { rest, office } = given;
      const { id: other } = await getBody(rest.post("/api/v1/projects", { name: "Contracts" }), 201);
      const model = { name: "Agreements", tables: [{ slug: "a" }], columns: [{ slug: "party" }] };
      const { id: target } = await getBody(rest.post(`/api/v1/projects/${other}/deployments`, model), 201);
      const create = [
        "classify",
        "create",
        "--project-id",
        office.projectId,
        "--name",
        "Everything",
        "--output",
        "json",
      ];
      const classifier = JSON.parse((await ended(cli.run(create), 0)).stdout);
      expect(classifier).toMatchObject({ isGlobal: false, projectId: office.projectId });
      const addRoute = ["classify", "add-route", classifier.id, "--deployment-id", target];
      const { stderr } = await ended(cli.run(addRoute), 1);
      expect(stderr).toMatch(/\(400 MODEL_OF_ANOTHER_PROJECT\)[^]*hint: .*make-global/);
      await ended(cli.run(["classify", "make-global", classifier.id]), 0);
      expect((await ended(cli.run(addRoute), 0)).stdout).toContain("Contracts");
      const list = await ended(cli.run(["classify", "list", "--project-id", other]), 0);
      expect(list.stdout).toContain(`${classifier.id}\tEverything\tGLOBAL\t1\tContracts\t0\n`);

      const inOffice = await ended(
        cli.run(["classify", "add-route", classifier.id, "--deployment-id", office.receipts, "--no-header"]),
        0,
      );
      const spans = await ended(cli.run(["classify", "make-project-scoped", classifier.id]), 1);
      expect(spans.stderr).toContain("(400 ");
      const remove = ["classify", "remove-route", classifier.id, inOffice.stdout.split("\t")[0] ?? ""];
      expect(await ended(cli.run(remove), 0)).toMatchObject({
        stdout: "",
        stderr: expect.stringContaining("removed"),
      });
      await ended(cli.run(remove), 5);
      const scoped = await ended(cli.run(["classify", "make-project-scoped", classifier.id]), 0);
      expect(scoped.stdout).toContain("\tPROJECT\t1\tContracts\t0\n");
    });

    it("pauses and resumes models and deployments", async () => {
      const { deployment } = given.office;
      expect((await ended(cli.run(["deployments", "pause", deployment]), 0)).stdout).toContain("\tPAUSED\t");
      expect((await ended(cli.run(["deployments", "resume", deployment]), 0)).stdout).toContain("\tACTIVE\t");
    });
  });
});
