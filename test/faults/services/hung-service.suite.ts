import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { getProblemFacts } from "@switchyard/rpc";
import { eventually } from "@switchyard/storage/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import { givenOffice } from "../../specification/testing/office.ts";
import type { GivenSystem } from "../../specification/testing/office.ts";

// Only the long run, which has the machine to itself, measures. A short run may share it with a whole suite.
const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const { firstMs, nextMs } = isLong ? { firstMs: 5_000, nextMs: 100 } : { firstMs: 30_000, nextMs: 10_000 };

/** The outcome of a call, and how long it took. */
interface Outcome {
  readonly name: string;
  /** The HTTP status, or the reason of an RPC. */
  readonly status: number | string;
  readonly retryAfter: string | null;
  readonly ms: number;
}

/** A file that is larger than what is sent at once. */
const file = Buffer.alloc(2 * 1024 * 1024, "Invoice 4711\n");

/** How calls to a service that is suspended end, in separate processes. */
export function hungServiceSuite(where: GivenSystem): void {
  const given = givenOffice(where);
  /** Does not repeat what was refused. */
  let rest: Rest;

  beforeAll(() => {
    rest = createRest(given.system.url, given.system.token, {}, 0);
  });

  /** Returns requests that need a service: one that may be repeated, one that may not, and some whose request or response is a stream. */
  function getRequests(service: string): { path: string; send: (rest: Rest) => ReturnType<Rest["get"]> }[] {
    const { projectId, invoices } = given.office;
    const paths: Record<string, [string, string, object]> = {
      configuration: ["/api/v1/projects", "/api/v1/projects", { name: "Another" }],
      extraction: [
        `/api/v1/projects/${projectId}/files`,
        `/api/v1/deployments/${invoices}/extractions`,
        { fileId: "none" },
      ],
      classifier: [`/api/v1/classify?projectId=${projectId}`, "/api/v1/classify", { name: "Another", projectId }],
      benchmark: [`/api/v1/projects/${projectId}/benchmarks`, `/api/v1/benchmarks/none:cancel`, {}],
    };
    const streams: Record<string, string> = {
      extraction: "/api/v1/files/none/content",
      benchmark: "/api/v1/benchmarks/none/events",
    };
    const [read, write, body] = paths[service] ?? ["", "", {}];
    const stream = streams[service];
    const upload = `upload to ${read}`;
    return [
      { path: read, send: (api) => api.get(read) },
      { path: write, send: (api) => api.post(write, body) },
      ...(stream === undefined ? [] : [{ path: stream, send: (api: Rest) => api.get(stream) }]),
      ...(service === "extraction" ? [{ path: upload, send: (api: Rest) => api.upload(read, "a.txt", file) }] : []),
    ];
  }

  async function observe(name: string, call: () => Promise<Pick<Outcome, "status" | "retryAfter">>): Promise<Outcome> {
    const begun = performance.now();
    return { name, ...(await call()), ms: performance.now() - begun };
  }

  const observeAll = (service: string): Promise<Outcome[]> =>
    Promise.all(
      getRequests(service).map(({ path, send }) =>
        observe(path, async () => {
          const { status, headers } = await send(rest);
          return { status, retryAfter: headers.get("retry-after") };
        }),
      ),
    );

  async function succeed(service: string): Promise<true | undefined> {
    return (await observeAll(service)).every(({ status }) => Number(status) < 500) ? true : undefined;
  }

  it.each(["configuration", "extraction", "classifier", "benchmark"])(
    "calls to %s end with 503, further ones at once, others succeed, and so do all when it continues",
    async (service) => {
      const others = ["configuration", "extraction", "classifier", "benchmark"].filter((other) => other !== service);
      await eventually("all requests succeed", () => succeed(service));
      const resume = given.system.suspend(service);
      const suspendedAt = performance.now();
      try {
        for (const each of await observeAll(service)) {
          expect(each).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/) });
          expect(each.ms).toBeLessThan(firstMs);
        }
        // A request with a failed lookup of its token may end earlier than the circuit opens.
        await sleep(5_000 - (performance.now() - suspendedAt));
        const rounds: Outcome[] = [];
        for (let round = 0; round < 5; round += 1) rounds.push(...(await observeAll(service)));
        for (const each of rounds) {
          expect(each).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/) });
        }
        expect(getMedian(rounds.map(({ ms }) => ms))).toBeLessThan(nextMs);
        // The callers are known, but other services may need what only the configuration service knows.
        if (service !== "configuration") {
          for (const other of others) expect((await rest.get(getRequests(other)[0]?.path ?? "")).status).toBe(200);
        }
      } finally {
        resume();
      }
      await eventually("all requests succeed", () => succeed(service));
    },
  );

  it("calls over all protocols end with Unavailable", async () => {
    const interceptors = [
      (next: any) => (request: any) => {
        request.header.set("authorization", `Bearer ${given.system.token}`);
        return next(request);
      },
    ];
    const web = { baseUrl: given.system.url, httpVersion: "1.1", interceptors } as const;
    const transports = {
      Connect: createConnectTransport(web),
      "gRPC-Web": createGrpcWebTransport(web),
      gRPC: createGrpcTransport({ baseUrl: `http://127.0.0.1:${given.system.grpcPort}`, interceptors }),
    };
    const { projectId } = given.office;
    const callAll = () =>
      Promise.all(
        Object.entries(transports).map(([name, transport]) =>
          observe(name, async () => {
            try {
              await createClient(ClassifierService, transport).listClassifiers({ projectId });
              return { status: "OK", retryAfter: null };
            } catch (error) {
              return { status: getProblemFacts(error).reason, retryAfter: null };
            }
          }),
        ),
      );
    expect((await callAll()).map(({ status }) => status)).toEqual(["OK", "OK", "OK"]);
    const resume = given.system.suspend("classifier");
    try {
      for (const limitMs of [firstMs, nextMs]) {
        for (const { status, ms } of await callAll()) {
          expect(status).toBe("UNAVAILABLE");
          expect(ms).toBeLessThan(limitMs);
        }
      }
    } finally {
      resume();
    }
    await eventually("all calls succeed", async () =>
      (await callAll()).every(({ status }) => status === "OK") ? true : undefined,
    );
  });
}

function getMedian(values: number[]): number {
  return values.sort((one, other) => one - other)[values.length >> 1] ?? NaN;
}
