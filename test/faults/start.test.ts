import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runProgram } from "../processes.ts";

describe("switchyard-server", () => {
  let above: string;
  let folder: string;
  beforeEach(async () => {
    above = await mkdtemp(join(tmpdir(), "switchyard-start-"));
    folder = join(above, "data");
  });
  afterEach(() => rm(above, { recursive: true, force: true }));

  function run(args: readonly string[], data = folder, settings: Record<string, string> = {}) {
    const environment = { SWITCHYARD_DATA: data, PORT: "0", GRPC_PORT: "0", MONGOD_BINARY: "", MONGODB_URI: "" };
    return runProgram("apps/standalone/bin/switchyard-server.js", args, { ...environment, ...settings });
  }

  /** Returns the output of a start that must fail. */
  async function refusal(args: readonly string[], data = folder, settings?: Record<string, string>): Promise<string> {
    const server = run(args, data, settings);
    const ended = await Promise.race([server.ended(), server.printed(/serves REST/)]);
    await server.end();
    expect(ended).toBe(1);
    return server.output();
  }

  it("ends with an error if its data folder cannot be used", async () => {
    // data-folder.test.ts tests the other reasons.
    const file = join(above, "file");
    await writeFile(file, "");
    expect(await refusal(["start"], file)).toContain(`SWITCHYARD_DATA: the folder ${file} cannot be used`);
  });

  it.each([
    ["HOST", "192.0.2.1"],
    ["HOST", "nowhere.invalid"],
    ["MONGOD_BINARY", "/nonexistent"],
    ["MONGODB_URI", "mongodb://127.0.0.1:1/"],
    ["MONGODB_URI", "mongodb://127.0.0.1:1/?unknown=option"],
    ["PORT", "0x10"],
    ["SWITCHYARD_RATE_LIMIT", " "],
  ])("ends with an error that names a variable with a wrong value: %s=%s", async (name, value) => {
    expect(await refusal(["start"], folder, { [name]: value })).toContain(name);
  });

  it("closes in order when it is stopped during its first start, even by several signals at once", async () => {
    const server = run(["start", "--demo"]);
    await server.printed(/First start/);
    // A terminal signals all processes of a command, and run.js passes the signal on.
    server.child.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await server.end("SIGINT");
    expect([server.child.exitCode, server.child.signalCode]).toEqual([0, null]);
    expect(server.output()).not.toMatch(/fetch failed|switchyard-server:/);
  });

  it("ends with advice if another program uses one of its ports", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const port = String((other.address() as AddressInfo).port);
    for (const name of ["PORT", "GRPC_PORT"]) {
      const server = run(["start"], folder, { [name]: port });
      expect(await server.ended()).toBe(1);
      expect(server.output()).toMatch(
        new RegExp(`EADDRINUSE: .*:${port}\\. Stop the program that uses it, or set PORT and GRPC_PORT to other ports`),
      );
    }
    other.close();
  });

  it("continues when nobody reads its log any more", async () => {
    const server = run(["start"], folder, { LOG_LEVEL: "info" });
    const [, url = ""] = /(http:\S+),/.exec(await server.printed(/serves REST.*\n/)) ?? [];
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    await expectAnswers(url);
    await server.end();
    expect(server.child.exitCode).toBe(0);
  });

  (process.platform === "linux" ? it : it.skip)(
    "continues when the disk of its log is full, but does not report success for a token that was not printed",
    async () => {
      const full = openSync("/dev/full", "w");
      const environment = { SWITCHYARD_DATA: folder, PORT: "0", GRPC_PORT: "0", MONGOD_BINARY: "", MONGODB_URI: "" };
      const program = join(root, "apps/standalone/bin/switchyard-server.js");
      const env = { ...process.env, NODE_OPTIONS: "", ...environment, LOG_LEVEL: "info" };
      const server = spawn(process.execPath, [program, "start"], { env, stdio: ["ignore", "pipe", full] });
      const ended = new Promise((resolve) => server.once("close", resolve));
      const printed = new Promise<string>((resolve) => server.stdout?.once("data", (text) => resolve(String(text))));
      const [, url = ""] = /(http:\S+),/.exec(await Promise.race([printed, ended.then(() => "")])) ?? [];
      await expectAnswers(url);
      server.kill();
      expect(await ended).toBe(0);

      const command = spawn(process.execPath, [program, "bootstrap", "Acme"], { env, stdio: ["ignore", full, "pipe"] });
      const said: string[] = [];
      command.stderr?.on("data", (text) => said.push(String(text)));
      expect(await new Promise((resolve) => command.once("close", resolve))).toBe(1);
      expect(said.join("")).toMatch(/switchyard-server: the output cannot be written: ENOSPC/);
      expect(said.join("")).not.toMatch(/^ +at /m);
      closeSync(full);
    },
  );

  /** Sends requests that are logged, and expects an answer to each. */
  async function expectAnswers(url: string): Promise<void> {
    for (let n = 0; n < 5; n += 1) expect((await fetch(`${url}/api/v1/me`)).status).toBe(401);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  }

  (process.platform === "linux" ? it : it.skip)(
    "configures how the C library releases memory, and keeps settings of the environment",
    async () => {
      const server = run(["start"], folder, { MALLOC_ARENA_MAX: "3" });
      await server.printed(/serves REST/);
      const environment = (await readFile(`/proc/${server.child.pid}/environ`, "utf8")).split("\0");
      await server.end();
      expect(environment.filter((variable) => variable.startsWith("MALLOC_")).toSorted()).toEqual([
        "MALLOC_ARENA_MAX=3",
        "MALLOC_MMAP_THRESHOLD_=16384",
        "MALLOC_TRIM_THRESHOLD_=65536",
      ]);
      // The program replaces itself in the same process, without a message.
      expect(server.output()).not.toMatch(/warning/i);
    },
  );

  it("does not optimize calls from WebAssembly, which can crash a process with several threads", async () => {
    const log = join(above, "v8.log");
    const program = join(root, "apps/standalone/bin/switchyard-server.js");
    const logging = ["--log-code", "--no-logfile-per-isolate", `--logfile=${log}`];
    // Stripping types calls WebAssembly, but only if the cache does not contain the compiled modules.
    const env = { ...process.env, NODE_OPTIONS: "", NODE_DISABLE_COMPILE_CACHE: "1" };
    execFileSync(process.execPath, [...logging, program, "--version"], { env, stdio: "ignore" });
    const code = await readFile(log, "utf8");
    expect(code).toMatch(/^code-creation,.*wasm/m);
    expect(code.match(/^code-creation,.*wasm-to-js.*$/gm) ?? []).toEqual([]);
  });

  it("does not start with a store whose secret is missing", async () => {
    // installation.test.ts tests the other cases.
    expect(await run(["bootstrap", "Acme"]).ended()).toBe(0);
    await rm(join(folder, "secret"));
    expect(await refusal(["start"])).toMatch(/root secret is missing.*Restore the file "secret"/);
  });
});
