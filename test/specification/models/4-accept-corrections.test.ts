import { createClient, Code } from "@connectrpc/connect";
import { AcceptedValuesService } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { getProblemFacts } from "@switchyard/rpc";
import { createTransports } from "../../interop/protocols.ts";
import { finishedExtraction, sample } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import { getBody, givenOffice, refusal } from "../testing/office.ts";

describe("4 an extraction that is accepted with corrections", () => {
  const given = givenOffice();
  const correct = (id: string, corrections: unknown, rest = given.rest) =>
    rest.post(`/api/v1/extractions/${id}:accept`, { corrections });
  const extracted = async (name: string, bytes: Uint8Array): Promise<any> => {
    const { projectId, invoices } = given.office;
    const file = await getBody(given.rest.upload(`/api/v1/projects/${projectId}/files`, name, bytes), 201);
    const path = `/api/v1/deployments/${invoices}/extractions`;
    const { id } = await getBody(given.rest.post(path, { fileId: file.id }), 201);
    return finishedExtraction(given.rest, id);
  };
  const readAccepted = (id: string) =>
    given.rest.get(`/api/v1/files/${id}/accepted-values?deploymentId=${given.office.invoices}`);
  let extraction: any;
  beforeAll(async () => {
    extraction = await extracted("invoice.pdf", await sample("invoice-harbour-lane.pdf"));
  });

  it("take the values of the extraction with these cells set right, and a row one past the end", async () => {
    const rows = extraction.tables[1].rows.length;
    const corrections = [
      { table: "invoice", row: 0, column: "total", value: 4711.5 },
      { table: "invoice", row: 0, column: "iban", value: null },
      { table: "line_items", row: rows, column: "description", value: "Ink" },
      { table: "line_items", row: rows, column: "amount", value: 3 },
    ];
    const accepted = await getBody(correct(extraction.id, corrections), 200);
    const [invoice, items] = extraction.tables;
    expect(accepted).toEqual({
      fileId: extraction.fileId,
      deploymentId: given.office.invoices,
      tables: [
        { slug: "invoice", rows: [{ values: { ...invoice.rows[0].values, total: 4711.5, iban: null } }] },
        {
          slug: "line_items",
          // The other columns of the row that was added are not labeled.
          rows: [
            ...items.rows.map((row: any) => ({ values: row.values })),
            { values: { description: "Ink", amount: 3 } },
          ],
        },
      ],
    });
    expect(await getBody(readAccepted(extraction.fileId), 200)).toEqual(accepted);
    // Without corrections, and with an empty list or null, the values are those of the extraction.
    for (const none of [undefined, [], null]) {
      const { tables } = await getBody(correct(extraction.id, none), 200);
      expect(tables[0].rows[0].values).toEqual(invoice.rows[0].values);
    }
  });

  it("is refused if the model was deleted", async () => {
    const { projectId } = given.office;
    const columns = [{ slug: "total", name: "Total", type: "NUMBER" }];
    const body = { name: "Doomed", tables: [{ slug: "bill", name: "Bill" }], columns };
    const model = await getBody(given.rest.post(`/api/v1/projects/${projectId}/deployments`, body), 201);
    const upload = given.rest.upload(`/api/v1/projects/${projectId}/files`, "bill.txt", Buffer.from("Total: 12.50"));
    const fileId = (await getBody(upload, 201)).id;
    const started = given.rest.post(`/api/v1/deployments/${model.id}/extractions`, { fileId });
    const { id } = await finishedExtraction(given.rest, (await getBody(started, 201)).id);
    await given.rest.send(`/api/v1/deployments/${model.id}`, { method: "DELETE" });
    expect(await refusal(correct(id, []))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
    expect((await getBody(given.rest.get(`/api/v1/files/${fileId}`), 200)).accepted).toBe(false);
  });

  it("name a wrong cell by its place, and accept nothing then", async () => {
    const before = await getBody(correct(extraction.id, []), 200);
    const rows = extraction.tables[1].rows.length;
    const right = { table: "invoice", row: 0, column: "total", value: 1 };
    const fault = (wrong: object) => refusal(correct(extraction.id, [right, { ...right, column: "iban", ...wrong }]));
    const at = "400 INVALID_REQUEST corrections[1]";
    for (const [wrong, place] of [
      [{ table: "till" }, ".table"],
      [{ table: undefined }, ".table"],
      [{ column: "color" }, ".column"],
      [{ column: "" }, ".column"],
      [{ row: 1 }, ".row"],
      [{ row: -1 }, ".row"],
      [{ row: undefined }, ".row"],
      [{ row: 0.5 }, ".row"],
      [{ row: "0" }, ".row"],
      [{ table: "line_items", row: rows + 1, column: "amount", value: 1 }, ".row"],
      [{ value: undefined }, ".value"],
      [{ value: 1 }, ".value"],
      [{ value: ["a"] }, ".value"],
      [{ column: "total" }, ""],
      [{ confidence: 1 }, ".confidence"],
    ] as const) {
      expect([wrong, await fault({ value: "DE1", ...wrong })]).toEqual([wrong, `${at}${place}`]);
    }
    expect(await getBody(readAccepted(extraction.fileId), 200)).toEqual(before);
  });

  it("are refused with 409 if the extraction is not completed, after its cells were checked", async () => {
    const failed = await extracted("broken.pdf", Buffer.from("%PDF-1.7\nnothing of it"));
    expect(failed.status).toBe("FAILED");
    const right = { table: "invoice", row: 0, column: "total", value: 1 };
    expect((await refusal(correct(failed.id, [right]))).slice(0, 28)).toBe("409 EXTRACTION_NOT_COMPLETED");
    expect(await refusal(correct(failed.id, [{ ...right, value: "1" }]))).toBe(
      "400 INVALID_REQUEST corrections[0].value",
    );
    expect(await refusal(readAccepted(failed.fileId))).toBe("404 ACCEPTED_VALUES_NOT_FOUND deploymentId");
  });

  it("need documents:write and the project in reach, before the values are looked at", async () => {
    const { id: elsewhere } = await getBody(given.rest.post("/api/v1/projects", { name: "Elsewhere" }), 201);
    const tokenFor = async (projectId: string, permission: string) => {
      const body = { name: "Small", scope: "PROJECT", projectId, permissions: [permission] };
      return createRest(given.system.url, (await getBody(given.rest.post("/api/v1/tokens", body), 201)).secret);
    };
    const wrong = [{ table: "till", row: 0, column: "total", value: 1 }];
    const reader = await tokenFor(given.office.projectId, "documents:read");
    expect((await refusal(correct(extraction.id, wrong, reader))).slice(0, 3)).toBe("403");
    const outside = await tokenFor(elsewhere, "documents:write");
    expect((await refusal(correct(extraction.id, wrong, outside))).slice(0, 3)).toBe("403");
  });

  it("are replayed under an idempotency key, and other corrections are another request", async () => {
    const rest = createRest(given.system.url, given.system.token, { "idempotency-key": `accept ${extraction.id}` });
    const at = (value: number) => [{ table: "invoice", row: 0, column: "total", value }];
    const first = await getBody(correct(extraction.id, at(8), rest), 200);
    await getBody(correct(extraction.id, at(9)), 200);
    const again = await correct(extraction.id, at(8), rest);
    expect([again.headers.get("idempotency-replayed"), again.body]).toEqual(["true", first]);
    expect((await correct(extraction.id, at(10), rest)).status).toBe(422);
    const now = await getBody(readAccepted(extraction.fileId), 200);
    expect(now.tables[0].rows[0].values.total).toBe(9);
  });

  it("are the same over gRPC and Connect, where a value without a kind is absent", async () => {
    const headers = { authorization: `Bearer ${given.system.token}` };
    const total = async (): Promise<unknown> =>
      (await getBody(readAccepted(extraction.fileId), 200)).tables[0].rows[0].values.total;
    for (const [name, transport] of Object.entries(createTransports(given.system))) {
      const client = createClient(AcceptedValuesService, transport);
      const right = { table: "invoice", row: 0, column: "total" };
      const call = (value?: object) =>
        client.acceptExtraction(
          { extractionId: extraction.id, corrections: [{ ...right, ...(value ? { value } : {}) }] },
          { headers },
        );
      await call({ kind: { case: "numberValue", value: 5 } });
      expect([name, await total()]).toEqual([name, 5]);
      await call({ kind: { case: "nullValue", value: 0 } });
      expect([name, await total()]).toEqual([name, null]);
      // JSON cannot express a Value without a kind.
      for (const none of name === "Connect JSON" ? [undefined] : [undefined, {}]) {
        const { code, violations } = await call(none).then(() => ({ code: 0, violations: [] }), getProblemFacts);
        expect([code, violations[0]?.field]).toEqual([Code.InvalidArgument, "corrections[0].value"]);
      }
    }
    const response = await fetch(
      `${given.system.url}/switchyard.extraction.v1.AcceptedValuesService/AcceptExtraction`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${given.system.token}`, "content-type": "application/json" },
        body: JSON.stringify({
          extractionId: extraction.id,
          corrections: [{ table: "invoice", row: 0, column: "iban", value: null }],
        }),
      },
    );
    expect([response.status, ((await response.json()) as any).tables[0].rows[0].values.iban]).toEqual([200, null]);
  });
});
