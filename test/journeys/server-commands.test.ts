import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../processes.ts";
import type { RunningProgram } from "../processes.ts";
import { createRest } from "../rest.ts";

describe("switchyard-server", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-server-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function run(argv: readonly string[], environment: Record<string, string> = {}): RunningProgram {
    const place = { SWITCHYARD_DATA: join(folder, "data"), PORT: "0", GRPC_PORT: "0", HOST: "127.0.0.1" };
    return runProgram("apps/standalone/bin/switchyard-server.js", argv, { ...place, ...environment });
  }

  /** Returns the output of a command that must end with this code. */
  async function ended(argv: readonly string[], exitCode: number): Promise<string> {
    const program = run(argv);
    expect([argv, await program.ended(), program.output()]).toEqual([argv, exitCode, program.output()]);
    return program.output();
  }

  it("issues another token to an organization without administrators, and changes its quotas", async () => {
    const id = /org_\w+/.exec(await ended(["bootstrap", "Acme"], 0))?.[0] ?? "";
    const secret = /^swo_\w+$/m.exec(await ended(["token", "acme"], 0))?.[0] ?? "";
    expect(await ended(["quota", "acme", "--models", "1"], 0)).toContain("models            1\n");

    const server = run(["start"]);
    try {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await server.printed(/serves REST.*\n/))?.[0] ?? "";
      expect(server.output()).not.toContain("There is no organization yet");
      const rest = createRest(url, secret);
      const { body: me } = await rest.get("/api/v1/me");
      expect(me).toMatchObject({ organization: { id }, user: { name: "Administrator" } });
      expect(me.token.permissions).toHaveLength(10);
      // The token that the command issued has the same access as the first one, and the audit trail has an entry.
      const { status, body: project } = await rest.post("/api/v1/projects", { name: "Payable" });
      expect(status).toBe(201);
      expect((await rest.get("/api/v1/projects")).body.data).toHaveLength(1);
      const { data } = (await rest.get("/api/v1/audit?action=token.create")).body;
      expect(data).toMatchObject([{ targetId: me.token.id, changes: { issuedBy: "switchyard-server" } }]);

      const create = (name: string) => rest.post(`/api/v1/projects/${project.id}/deployments`, { name });
      expect((await create("Invoices")).status).toBe(201);
      const refused = await create("Receipts");
      const detail = "The organization may have at most 1 models, and has 1.";
      expect(refused.body).toMatchObject({ status: 400, code: "QUOTA_EXCEEDED", detail, quota: "models" });
    } finally {
      await server.end();
    }
  });

  it("explains what to do if there is no organization, and warns about unknown variables", async () => {
    const server = run(["start"], { SWITCHYARD_DATE: "/nowhere" });
    try {
      await server.printed(/switchyard-server bootstrap "My organization"/);
      expect(server.output()).toContain("SWITCHYARD_DATE is unknown and has no effect. Did you mean SWITCHYARD_DATA?");
    } finally {
      await server.end();
    }
  });

  it("names an unknown command in its error, and prints its version", async () => {
    expect(await ended(["strat"], 2)).toContain("unknown command 'strat'\n(Did you mean start?)");
    expect(await ended(["--version"], 0)).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
