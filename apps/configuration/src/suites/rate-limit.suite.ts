import { connectStorage, newId, type Storage } from "@switchyard/storage";
import type { TestDatabase } from "@switchyard/storage/testing";
import { createClient } from "@connectrpc/connect";
import { RateLimitService } from "@switchyard/contracts/switchyard/identity/internal/v1/rate_limit";
import { createDirectTransport } from "@switchyard/rpc";
import { rateLimitService } from "../service/tokens/rate-limit-service.ts";
import { createMemoryCounts, createStoredCounts, type RequestCounts } from "../store/request-counts.ts";
import { getRefusal } from "../testing/test-service.ts";

/** Tests the leases of requests, with counts in a database on the given server and in memory. */
export function rateLimitSuite(provide: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let storage: Storage;
  let stored: RequestCounts;
  beforeAll(async () => {
    database = await provide();
    storage = await connectStorage({ uri: database.uri, database: newId("test") });
    stored = createStoredCounts(storage.connection);
    await storage.ready();
  });
  afterAll(async () => {
    await storage?.connection.dropDatabase();
    await storage?.close();
    await database?.close();
  });

  /** The clock, 15 s after the beginning of the minute 1,000. */
  const at = 60_000_000 + 15_000;
  function connect(counts: RequestCounts, now: () => number = () => at) {
    const services = [rateLimitService(counts, () => new Date(now()))];
    return createClient(
      RateLimitService,
      createDirectTransport({ services, serverInterceptors: [], interceptors: [] }),
    );
  }

  describe.each([
    ["in the database", () => stored],
    ["in memory", createMemoryCounts],
  ])("counted %s", (_place, getCounts) => {
    it("are never more than the limit of a minute, and are the limit again in the next", async () => {
      const tokenId = newId("tok");
      let now = at;
      const { leaseRequests } = connect(getCounts(), () => now);
      const lease = (wanted: number) => leaseRequests({ tokenId, limit: 100, wanted });
      expect(await lease(60)).toMatchObject({ granted: 60, left: 40, minute: 1_000, endsInMs: 45_000 });
      expect(await lease(60)).toMatchObject({ granted: 40, left: 0 });
      expect(await lease(60)).toMatchObject({ granted: 0, left: 0 });
      expect(await leaseRequests({ tokenId: newId("tok"), limit: 100, wanted: 1 })).toMatchObject({ left: 99 });
      now += 45_000;
      expect(await lease(60)).toMatchObject({ granted: 60, left: 40, minute: 1_001, endsInMs: 60_000 });
    });

    it("are leased once to concurrent gateways", async () => {
      const tokenId = newId("tok");
      const { leaseRequests } = connect(getCounts());
      const leases = await Promise.all(
        Array.from({ length: 30 }, () => leaseRequests({ tokenId, limit: 100, wanted: 7 })),
      );
      expect(leases.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
    });
  });

  it("refuses invalid requests, and names their fields", async () => {
    const { leaseRequests } = connect(stored);
    expect(await getRefusal(leaseRequests({ limit: 0, wanted: 1 }))).toBe("INVALID_REQUEST tokenId limit wanted");
    expect(await getRefusal(leaseRequests({ tokenId: "tok", limit: 5, wanted: 0 }))).toBe("INVALID_REQUEST wanted");
  });

  it("deletes the counts of past minutes", async () => {
    const indexes = await storage.connection.collection("request_counts").indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
  });
}
