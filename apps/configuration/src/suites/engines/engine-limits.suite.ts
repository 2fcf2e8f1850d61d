import { createClient } from "@connectrpc/connect";
import { EngineLimitService } from "@switchyard/contracts/switchyard/configuration/internal/v1/engine_limits";
import { openEngines } from "@switchyard/engines";
import type { SharedPlaces } from "@switchyard/engines";
import { engineDefinition, startEndpoint } from "@switchyard/engines/testing";
import { createDirectTransport } from "@switchyard/rpc";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import type { TestDatabase } from "@switchyard/storage/testing";
import { engineLimitService } from "../../service/engines/engine-limit-service.ts";
import { createStoredPlaces } from "../../store/engine-places.ts";
import { createMemoryCounts } from "../../store/request-counts.ts";
import { getRefusal } from "../../testing/test-service.ts";

/** Tests the limits of language models that processes share, with places in a database on the given server. */
export function engineLimitSuite(provide: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let storage: Storage;
  let now = 60_000_000 + 15_000;
  let limits: ReturnType<typeof connect>;
  const connect = () =>
    createClient(
      EngineLimitService,
      createDirectTransport({
        services: [
          engineLimitService(createStoredPlaces(storage.connection), createMemoryCounts(), () => new Date(now)),
        ],
        serverInterceptors: [],
        interceptors: [],
      }),
    );
  beforeAll(async () => {
    database = await provide();
    storage = await connectStorage({ uri: database.uri, database: newId("test") });
    limits = connect();
    await storage.ready();
  });
  afterAll(async () => {
    await storage?.connection.dropDatabase();
    await storage?.close();
    await database?.close();
  });

  const take = (engine: string, placeId: string, changes = {}) =>
    limits.takePlace({ engine, placeId, parallel: 3, requestsPerMinute: 0, expiresInMs: 10_000, ...changes });

  it("are places that only a limited number of requests have at a time, until they are returned or expire", async () => {
    const engine = newId("engine");
    const first = await Promise.all(Array.from({ length: 12 }, (_, index) => take(engine, `p${index}`)));
    expect(first.filter(({ taken }) => taken)).toHaveLength(3);
    const taken = first.findIndex((place) => place.taken);
    expect(await take(engine, "more")).toMatchObject({ taken: false, retryInMs: 250 });
    expect(await take(newId("engine"), "other")).toMatchObject({ taken: true });
    await limits.freePlace({ engine, placeId: `p${taken}` });
    await limits.freePlace({ engine, placeId: `p${taken}` });
    expect((await take(engine, "next")).taken).toBe(true);
    expect((await take(engine, "more")).taken).toBe(false);
    now += 10_000;
    expect((await take(engine, "more")).taken).toBe(true);
  });

  it("are requests started in a minute, and a request that comes too early takes no place", async () => {
    const engine = newId("engine");
    const changes = { requestsPerMinute: 2 };
    expect((await take(engine, "a", changes)).taken).toBe(true);
    expect((await take(engine, "b", changes)).taken).toBe(true);
    expect(await take(engine, "c", changes)).toMatchObject({ taken: false, retryInMs: 35_000 });
    now += 35_000;
    expect((await take(engine, "c", changes)).taken).toBe(true);
    expect(await getRefusal(take("", "", { parallel: 0, requestsPerMinute: -1, expiresInMs: 0 }))).toBe(
      "INVALID_REQUEST engine placeId parallel requestsPerMinute expiresInMs",
    );
  });

  it("hold for the engines of all processes together, each of which continues alone if nothing can be shared", async () => {
    const endpoint = await startEndpoint({ answer: () => ({}), delayMs: 30 });
    const definition = engineDefinition(endpoint.baseUrl, { name: newId("engine"), parallel: 2 });
    const shared: SharedPlaces = {
      take: (request, signal) => limits.takePlace(request, { signal }),
      free: async (engine, placeId) => void (await limits.freePlace({ engine, placeId })),
    };
    const alone: SharedPlaces = { take: () => Promise.reject(new Error("unavailable")), free: async () => undefined };
    const question = { promptVersion: "1", instructions: "", content: "", answerName: "a", answerSchema: {} };
    const call = { organizationId: "org_1", engine: definition.name, modelName: null, temperature: null };
    const ask = (engines: ReturnType<typeof openEngines>) =>
      Promise.all(Array.from({ length: 4 }, () => engines.ask({ ...call, question, accept: (answer) => answer })));
    const processes = [shared, shared, shared].map((places) =>
      openEngines({ definitions: [definition], shared: places }),
    );
    await Promise.all(processes.map(ask));
    expect(endpoint.questions).toHaveLength(12);
    expect(endpoint.counts.peak).toBeLessThanOrEqual(2);
    const lonely = openEngines({ definitions: [definition], shared: alone });
    await ask(lonely);
    expect(endpoint.questions).toHaveLength(16);
    await Promise.all([...processes, lonely].map((engines) => engines.close()));
    await endpoint.close();
  });
}
