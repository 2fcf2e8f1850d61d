import { finishedExtraction } from "../../journeys/fixture.ts";
import type { Office } from "../../journeys/fixture.ts";
import type { Rest } from "../../rest.ts";
import { getBody } from "./office.ts";

/** Uploads an invoice, accepts its extracted values, and returns the ID of the file. */
export async function acceptedInvoice(rest: Rest, office: Office, name: string, bytes: Uint8Array): Promise<string> {
  const file = await getBody(rest.upload(`/api/v1/projects/${office.projectId}/files`, name, bytes), 201);
  const path = `/api/v1/deployments/${office.invoices}/extractions`;
  const { id } = await getBody(rest.post(path, { fileId: file.id }), 201);
  await finishedExtraction(rest, id);
  await getBody(rest.post(`/api/v1/extractions/${id}:accept`), 200);
  return file.id;
}

/** Waits until an execution has ended, and returns it. */
export async function finishedExecution(rest: Rest, executionId: string, timeoutMs = 180_000): Promise<any> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    const body = await getBody(rest.get(`/api/v1/benchmarks/${executionId}`), 200);
    if (body.status !== "RUNNING") return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the execution ${executionId} stays RUNNING`);
}

/** Parses the events of an event stream, without comments. */
export function getEvents(text: string): { name: string; data: any }[] {
  return text
    .split("\n\n")
    .filter((block) => block.startsWith("event: "))
    .map((block) => {
      const [event = "", data = ""] = block.split("\n");
      return { name: event.slice("event: ".length), data: JSON.parse(data.slice("data: ".length)) };
    });
}
