import { table } from "@switchyard/terminal";
import type { Cell, Column, Table } from "@switchyard/terminal";
import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "./api.ts";

/** A document that the engine cannot assign to any route, because it shares no words with one. */
const ticket = {
  filename: "parking-ticket.txt",
  text: "City Parking\nTicket 00417   Level 2\nEntry 08:12   Exit 10:47\nTariff 4.50\nDrive safely\n",
};

interface Decision {
  id: string;
  routeName: string | null;
  reason: { code: string } | null;
  confidence: number | null;
  engine: { learnedFrom: number };
}

interface Classifier {
  deploymentRoutes: { id: string; name: string }[];
}

const columns: readonly Column[] = [
  { title: "decision", content: "text" },
  { title: "route, or the reason", content: "text" },
  { title: "confidence", right: true },
  { title: "learned from", right: true },
];

/** A review counts within this time. */
const learningTimeoutMs = 10_000;

/**
 * Reviews a document that a classifier does not recognize: a person says that it belongs to the route "Receipt". Returns a table of the
 * decisions on the same document before and after the classifier has learned from the review.
 */
export async function reviewSample(api: Api, classifierId: string): Promise<Table> {
  const path = `/api/v1/classify/${classifierId}`;
  const { deploymentRoutes } = await api.get<Classifier>(path);
  const route = deploymentRoutes.find(({ name }) => name === "Receipt");
  const bytes = new TextEncoder().encode(ticket.text);
  const before = await api.upload<Decision>(path, ticket.filename, bytes);
  const record = `${path}/classifications/${before.id}`;
  await api.post(`${record}:review`, { routeId: route?.id ?? null });
  const deadline = Date.now() + learningTimeoutMs;
  for (;;) {
    await sleep(1_000);
    const after = await api.post<Decision>(`${record}:reclassify`, {});
    if (after.engine.learnedFrom > 0 || Date.now() > deadline) {
      return table(columns, [toRow("before the review", before), toRow("after it", after)]);
    }
  }
}

function toRow(decision: string, { routeName, reason, confidence, engine }: Decision): Cell[] {
  return [decision, routeName ?? reason?.code ?? "", confidence?.toFixed(2), String(engine.learnedFrom)];
}
