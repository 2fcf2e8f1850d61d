import { sentCommands } from "@switchyard/storage/sent-commands";
import type { SentCommand } from "@switchyard/storage/sent-commands";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createRest } from "../rest.ts";
import type { Rest } from "../rest.ts";
import { closeSharedSystem } from "../shared-system/shared-system.ts";
import { startTestSystem } from "../system.ts";
import type { TestSystem } from "../system.ts";
import { createOffice, finishedExtraction } from "./fixture.ts";
import type { Office } from "./fixture.ts";

const writes: readonly string[] = ["insert", "update", "delete", "findAndModify"];

/** The flushes to disk that a request waits for: single writes and commits, each with the collections that it changes. */
function getFlushes(commands: readonly SentCommand[]): string[] {
  const transactions = new Map<string, string[]>();
  return commands.flatMap(({ databaseName, command }) => {
    const [name = ""] = Object.keys(command);
    const service = databaseName.replace("switchyard_", "");
    const key = `${Buffer.from((command["lsid"] as any)?.id?.buffer ?? []).toString("hex")} ${String(command["txnNumber"])}`;
    const changed = transactions.get(key) ?? [];
    if (name === "commitTransaction") {
      transactions.delete(key);
      return changed.length === 0 ? [] : [changed.join(", ")];
    }
    // The heartbeat of an extraction and the delivery of audit entries are not part of a request.
    const [update] = (command["updates"] as { multi?: boolean }[] | undefined) ?? [];
    const collection = `${service}.${String(command[name])}`;
    const audit = collection === "configuration.audit" || collection.endsWith("audit_outbox");
    if (!writes.includes(name) || update?.multi === true || audit) return [];
    if (command["autocommit"] === false) {
      if (!changed.includes(collection)) transactions.set(key, [...changed, collection]);
      return [];
    }
    const durable = (command["writeConcern"] as { w?: unknown } | undefined)?.w === "majority";
    return durable ? [collection] : [];
  });
}

describe("one classification of a text", () => {
  const sent: SentCommand[] = [];
  const note = (message: unknown) => void sent.push(message as SentCommand);
  let system: TestSystem;
  let rest: Rest;
  let office: Office;

  beforeAll(async () => {
    // The commands of all systems in this process are noted.
    await closeSharedSystem();
    subscribe(sentCommands, note);
    system = await startTestSystem("one process");
    rest = createRest(system.url, system.token);
    office = await createOffice(rest, "Flushes");
  });
  afterAll(async () => {
    unsubscribe(sentCommands, note);
    await system?.close();
  });

  async function flushesFor(body: object): Promise<string[]> {
    sent.length = 0;
    const response = await rest.post(`/api/v1/classify/${office.classifier}`, body);
    expect(response.status).toBe(201);
    if (response.body.extraction !== null) await finishedExtraction(rest, response.body.extraction.id);
    return getFlushes(sent);
  }

  const document = "extraction.blobs, extraction.files, extraction.stored_bytes";
  const record = "classifier.classifiers, classifier.classifications";
  const invoice = "Invoice number INV-7, invoice date 2026-10-01, due date 2026-10-31, total due 7.00";

  // The caller waits for each in turn. docs/storage.md lists them, and explains why there are no more.
  it("waits for three flushes with an extraction that is fast", async () => {
    let texts = 0;
    // The first extraction starts threads, and on a busy machine, others may be slow too.
    await expect
      .poll(() => flushesFor({ text: `${invoice} ${(texts += 1)}` }))
      .toEqual([document, record, "extraction.files, extraction.extractions, extraction.current_values"]);
  });

  it("waits for three flushes without an extraction, and for two if a global classifier finds no route", async () => {
    expect(await flushesFor({ text: `${invoice} once more`, extract: false })).toEqual([
      document,
      record,
      "extraction.files",
    ]);
    expect((await rest.post(`/api/v1/classify/${office.classifier}:makeGlobal`)).status).toBe(200);
    expect(await flushesFor({ text: "Nothing that anybody knows" })).toEqual([document, record]);
  });

  it("waits for no other flushes if the bytes are already stored", async () => {
    await flushesFor({ text: "Nothing that anybody knows, twice" });
    // The update of the bytes has no effect then.
    expect(await flushesFor({ text: "Nothing that anybody knows, twice" })).toEqual([document, record]);
  });
});
