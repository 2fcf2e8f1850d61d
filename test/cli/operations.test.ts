import { commands } from "@switchyard/cli";
import { calls } from "@switchyard/client";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { createCliRunner, ended } from "./terminal.ts";

/** The operations that have no command of their own, and are reached by `switchyard api`, with the reason. */
const onlyByApi: Readonly<Record<string, string>> = {
  "POST /api/v1/classify/{classifierId}": "a second path of the operation of `classify run`",
};

describe("the operations of /openapi.json", () => {
  const given = givenOffice();

  it("each have a command, or are listed here as reached by `switchyard api`", async () => {
    const { paths } = await getBody(given.rest.get("/openapi.json"), 200);
    const operations = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const byCommand = new Set(
      commands.flatMap((command) => (command.calls ?? []).map((name) => `${calls[name].method} ${calls[name].path}`)),
    );
    // A new operation needs a command in apps/cli, or a line with a reason in the table above.
    expect(operations.filter((each) => !byCommand.has(each)).sort()).toEqual(Object.keys(onlyByApi).sort());
    expect(operations.length).toBeGreaterThan(60);
    expect([...byCommand].filter((each) => !operations.includes(each))).toEqual([]);
  });

  it("are all called by the command of some noun that help and documentation show", () => {
    expect(commands.filter(({ hidden }) => hidden === true)).toEqual([]);
    // every-command.test.ts shows for each command that it makes these calls, and no others.
    const withoutCalls = commands.filter((command) => command.calls === undefined).map(({ verb }) => verb);
    expect(withoutCalls.sort()).toEqual(["api", "completion", "logout"]);
  });

  it("are reached by `switchyard api`, one of each method", async () => {
    const cli = await createCliRunner(given.system);
    try {
      const { projectId, classifier, invoices } = given.office;
      const send = async (...argv: string[]) => (await ended(cli.run(["api", ...argv]), 0)).stdout;
      const json = (body: unknown) => ["--data", JSON.stringify(body)];
      const text = { text: "Invoice 7, total amount due: 12.50" };
      const record = JSON.parse(await send("POST", `classify/${classifier}`, ...json(text)));
      expect(record).toMatchObject({ id: expect.stringMatching(/^cls_/), classifierId: classifier });
      expect(JSON.parse(await send("GET", `classify/${classifier}/classifications/${record.id}`)).id).toBe(record.id);
      const named = await send("PATCH", `projects/${projectId}`, ...json({ name: "Renamed" }));
      expect(JSON.parse(named).name).toBe("Renamed");
      const { id } = JSON.parse(
        await send(
          "POST",
          `projects/${projectId}/files?filename=a.txt`,
          "--header",
          "content-type:text/plain",
          "--data",
          "A",
        ),
      );
      const values = { deploymentId: invoices, tables: [{ slug: "invoice", rows: [{ values: { total: 12.5 } }] }] };
      expect(JSON.parse(await send("PUT", `files/${id}/accepted-values`, ...json(values))).fileId).toBe(id);
      expect(await send("HEAD", `files/${id}`)).toBe("");
      expect(await send("DELETE", `files/${id}`)).toBe("");
      expect((await given.rest.get(`/api/v1/files/${id}`)).status).toBe(404);
    } finally {
      await cli.remove();
    }
  });
});
