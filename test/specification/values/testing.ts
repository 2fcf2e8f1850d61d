import { createClient } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ValuesService } from "@switchyard/contracts/switchyard/extraction/v1/values";
import { getBody } from "../testing/office.ts";
import type { GivenOffice } from "../testing/office.ts";

/** A cell of a row of values. */
export type Cell = string | number | boolean | null;

/** Creates a model with a primary table of two texts, a number and a Boolean, and a table of parts. Returns its id. */
export async function createValuesModel({ rest, office }: GivenOffice, name: string): Promise<string> {
  const body = await getBody(
    rest.post(`/api/v1/projects/${office.projectId}/deployments`, {
      name,
      tables: [
        { slug: "document", isPrimary: true },
        { slug: "parts", isPrimary: false },
      ],
      columns: [
        { table: "document", slug: "supplier", name: "Supplier", required: true },
        { table: "document", slug: "note", name: "Note" },
        { table: "document", slug: "total", name: "Total", type: "NUMBER" },
        { table: "document", slug: "paid", name: "Paid", type: "BOOLEAN" },
        { table: "parts", slug: "part", name: "Part" },
      ],
    }),
    201,
  );
  return body.id;
}

/** Stores a text as a file of the office's project. */
export async function addFile({ rest, office }: GivenOffice, name: string, text = "Nothing"): Promise<string> {
  const path = `/api/v1/projects/${office.projectId}/files`;
  return (await getBody(rest.upload(path, name, Buffer.from(text)), 201)).id;
}

/** Accepts values of a file: the row of the document, and the rows of its parts. */
export async function accept(
  { rest }: GivenOffice,
  fileId: string,
  deploymentId: string,
  document: Record<string, Cell>,
  parts: readonly Record<string, Cell>[] = [],
): Promise<void> {
  const tables = [
    { slug: "document", rows: [{ values: document }] },
    { slug: "parts", rows: parts.map((values) => ({ values })) },
  ];
  const init = {
    method: "PUT",
    body: JSON.stringify({ deploymentId, tables }),
    headers: { "content-type": "application/json" },
  };
  await getBody(rest.send(`/api/v1/files/${fileId}/accepted-values`, init), 200);
}

/** Creates a client of the service over gRPC, with the options of its calls. */
export function overGrpc({ system }: GivenOffice): {
  client: Client<typeof ValuesService>;
  options: { headers: Record<string, string> };
} {
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.grpcPort}` });
  return {
    client: createClient(ValuesService, transport),
    options: { headers: { authorization: `Bearer ${system.token}` } },
  };
}

/** Downloads an export. */
export async function download({ system }: GivenOffice, path: string): Promise<{ headers: Headers; bytes: Buffer }> {
  const response = await fetch(`${system.url}${path}`, { headers: { authorization: `Bearer ${system.token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${response.status} ${bytes.toString()}`);
  return { headers: response.headers, bytes };
}
