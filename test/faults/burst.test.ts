import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { burst, createSender, invoiceText } from "../burst.ts";
import { createOffice } from "../journeys/fixture.ts";
import { createRest } from "../rest.ts";
import { startTestSystem } from "../system.ts";
import { startDemoServer } from "./demo-server.ts";

type Shape = "one process" | "separate processes";

// Full counts send as fast as a script that ignores the server's capacity, and expect responses before clients time out.
const long = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const counts = long
  ? {
      documents: 3_000,
      perSecond: 600,
      maxMs: 5_000,
      leastDone: 32,
      shapes: ["one process", "separate processes"] as Shape[],
    }
  : // While other tests run, even calls that have started may exceed the deadline of a busy server.
    { documents: 120, perSecond: 1e9, maxMs: 25_000, leastDone: 1, shapes: ["one process"] as Shape[] };

interface Server {
  url: string;
  token: string;
  classifier: string;
  close(): Promise<void>;
}

async function start(shape: Shape, folder: string): Promise<Server> {
  if (shape === "separate processes") {
    const system = await startTestSystem(shape, { folder });
    return { ...system, classifier: (await createOffice(createRest(system.url, system.token), "Burst")).classifier };
  }
  const server = await startDemoServer(folder);
  return { ...server, close: () => server.program.end() };
}

describe.each(counts.shapes)("a burst of documents, in %s", (shape) => {
  let folder: string;
  let server: Server;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-burst-"));
    server = await start(shape, folder);
  });
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ["identical", () => invoiceText(7)],
    ["all different", invoiceText],
  ])(
    `gets responses or a time to retry, and is counted exactly: ${counts.documents} documents, %s`,
    async (_, toText) => {
      const rest = createRest(server.url, server.token);
      const path = `/api/v1/classify/${server.classifier}`;
      const sender = createSender(server);
      const count = async (): Promise<number> => (await rest.get(path)).body.classificationCount;
      const before = await count();
      const responses = await burst(sender.post, counts, toText);
      const next = await sender.post("Receipt of a shop, paid in cash");
      sender.close();

      const done = responses.filter(({ status }) => status === 201);
      const refused = responses.filter(({ status }) => status !== 201);
      const slowestMs = Math.max(...responses.map(({ ms }) => ms));
      if (long) {
        console.log(
          `${done.length} x 201, slowest ${Math.round(slowestMs)} ms; the next one ${Math.round(next.ms)} ms`,
        );
      }
      expect(refused.filter(({ status, code }) => status !== 503 || code !== "OVERLOADED")).toEqual([]);
      for (const { retryAfter } of responses.filter(({ status }) => status === 503))
        expect(Number(retryAfter)).toBeGreaterThan(0);
      expect(slowestMs).toBeLessThan(counts.maxMs);
      expect(done.length).toBeGreaterThanOrEqual(counts.leastDone);
      expect(next.status).toBe(201);
      expect(next.ms).toBeLessThan(counts.maxMs);
      expect(await count()).toBe(before + done.length + 1);
      let records = 0;
      for (let page = ""; ;) {
        const { body } = await rest.get(`${path}/classifications?limit=500${page}`);
        records += body.data.length;
        if (body.nextPageToken === null) break;
        page = `&pageToken=${body.nextPageToken}`;
      }
      expect(records).toBe(before + done.length + 1);
    },
  );
});
