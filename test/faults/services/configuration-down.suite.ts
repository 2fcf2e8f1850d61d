import { mintTokenSecret } from "@switchyard/access";
import { connectStorage } from "@switchyard/storage";
import { eventually } from "@switchyard/storage/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { finishedExtraction, sample } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import type { RestResponse, Rest } from "../../rest.ts";
import { getBody, givenOffice } from "../../specification/testing/office.ts";
import type { GivenSystem } from "../../specification/testing/office.ts";

// Only the long run, which has the machine to itself, measures. A short run may share it with a whole suite.
const { downMs, pauseMs, slowestMs } =
  process.env["SWITCHYARD_TEST_COUNTS"] === "long"
    ? { downMs: 10_000, pauseMs: 50, slowestMs: 2_000 }
    : { downMs: 2_500, pauseMs: 200, slowestMs: 20_000 };

/** A kind of request, and the service that it depends on. */
interface Kind {
  readonly name: string;
  readonly needs: "nothing" | "configuration";
  send(): Promise<RestResponse>;
}

/** The response to a request. */
interface Seen {
  readonly name: string;
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

/** How other services behave without the configuration service, while callers are still cached; in separate processes. */
export function configurationDownSuite(where: GivenSystem): void {
  const given = givenOffice(where);
  let rest: Rest;
  let kinds: Kind[];
  let file: string;

  /** Without retries, because the test examines failures. */
  const getRest = (token: string): Rest => createRest(given.system.url, token, {}, 0);

  beforeAll(async () => {
    rest = getRest(given.system.token);
    const { classifier, projectId, invoices } = given.office;
    const upload = rest.upload(
      `/api/v1/classify/${classifier}`,
      "invoice.pdf",
      await sample("invoice-harbour-lane.pdf"),
    );
    const record = await getBody(upload, 201);
    await finishedExtraction(rest, record.extraction.id);
    file = `/api/v1/files/${record.fileId}`;
    const free = [
      file,
      `${file}/content`,
      `${file}/text`,
      `/api/v1/extractions/${record.extraction.id}`,
      `/api/v1/classify/${classifier}/classifications/${record.id}`,
    ];
    const dependent = [
      "/api/v1/projects",
      `/api/v1/deployments/${invoices}/configuration`,
      `/api/v1/classify?projectId=${projectId}`,
    ];
    const text = "Invoice no. 7, total due 12.00";
    kinds = [
      ...free.map((name): Kind => ({ name, needs: "nothing", send: () => rest.get(name) })),
      ...dependent.map((name): Kind => ({ name, needs: "configuration", send: () => rest.get(name) })),
      {
        name: "classify",
        needs: "configuration",
        send: () => rest.post(`/api/v1/classify/${classifier}`, { text, extract: false }),
      },
      {
        name: "outsider",
        needs: "configuration",
        send: () => getRest(mintTokenSecret("ORGANIZATION")).get(file),
      },
    ];
  });

  async function seen({ name, send }: Kind): Promise<Seen> {
    const begin = performance.now();
    const { status, text } = await send();
    return { name, status, ms: performance.now() - begin, text: status < 400 ? "" : text };
  }

  /** Issues tokens, which are not used yet. */
  const newTokens = (count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const wanted = {
          name: "T",
          scope: "PROJECT",
          projectId: given.office.projectId,
          permissions: ["documents:read"],
        };
        return (await getBody(rest.post("/api/v1/tokens", wanted), 201)).secret as string;
      }),
    );

  const everyKind = () => Promise.all(kinds.map(seen));
  const wholeStatuses = new Map([
    ["classify", 201],
    ["outsider", 401],
  ]);
  const isWhole = ({ name, status }: Seen): boolean => status === (wholeStatuses.get(name) ?? 200);

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "requests of cached callers that do not need it succeed, others fail fast with 503, and all succeed after its restart (%s)",
    async (signal) => {
      expect((await everyKind()).filter((one) => !isWhole(one))).toEqual([]);
      const unused = await newTokens(8);

      // Requests of all kinds are sent continuously.
      const all: Seen[] = [];
      const running = { value: true };
      const workers = kinds.map(async (kind) => {
        while (running.value) {
          all.push(await seen(kind));
          await sleep(pauseMs);
        }
      });
      const start = await given.system.stop("configuration", signal);
      const during: Seen[] = [];
      const deadline = performance.now() + downMs;
      while (performance.now() < deadline) {
        during.push(...(await everyKind()));
        const fresh = getRest(unused[during.length % unused.length] ?? "");
        during.push(await seen({ name: "unknown", needs: "configuration", send: () => fresh.get(file) }));
        await sleep(pauseMs);
      }
      await start();
      let after = await everyKind();
      for (const deadline = performance.now() + 60_000; !after.every(isWhole) && performance.now() < deadline;) {
        await sleep(pauseMs);
        after = await everyKind();
      }
      running.value = false;
      await Promise.all(workers);

      expect(after.filter((one) => !isWhole(one))).toEqual([]);
      const needsNothing = new Set(kinds.filter(({ needs }) => needs === "nothing").map(({ name }) => name));
      expect([...all, ...during].filter((one) => needsNothing.has(one.name) && one.status !== 200)).toEqual([]);
      expect([...all, ...during].filter((one) => !isWhole(one) && one.status !== 503)).toEqual([]);
      expect(during.filter((one) => !needsNothing.has(one.name) && one.status !== 503)).toEqual([]);
      expect([...all, ...during].filter(({ status, ms }) => status === 503 && ms > slowestMs)).toEqual([]);
      expect(during.length).toBeGreaterThan(kinds.length);
      for (const secret of unused) expect((await getRest(secret).get(file)).status).toBe(200);
    },
  );

  it("changes are recorded, and added once to the audit trail after its restart", async () => {
    const upload = rest.upload(`/api/v1/projects/${given.office.projectId}/files`, "old.txt", Buffer.from("Old"));
    const { id } = await getBody(upload, 201);
    const outbox = await connectStorage({ uri: given.system.uri, database: "switchyard_extraction" });
    const waiting = () => outbox.connection.collection("audit_outbox").countDocuments({});
    const deletions = async () =>
      (await getBody(rest.get(`/api/v1/audit?targetId=${id}&action=file.delete`), 200)).data;
    try {
      await eventually("the trail has the upload", async () => ((await waiting()) === 0 ? true : undefined));
      const start = await given.system.stop("configuration", "SIGKILL");
      try {
        expect((await rest.send(`/api/v1/files/${id}`, { method: "DELETE" })).status).toBe(204);
        expect(await waiting()).toBe(1);
      } finally {
        await start();
      }
      await eventually("the trail has the deletion", async () => ((await waiting()) === 0 ? true : undefined));
      expect(await deletions()).toMatchObject([{ outcome: "DONE", changes: { filename: "old.txt" } }]);
    } finally {
      await outbox.close();
    }
  });
}
