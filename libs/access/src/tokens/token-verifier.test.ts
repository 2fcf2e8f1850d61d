import { Code } from "@connectrpc/connect";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { getProblemFacts, unauthenticated, unavailable } from "@switchyard/rpc";
import { testCaller } from "../testing/callers.ts";
import { mintTokenSecret } from "./token-secret.ts";
import { createTokenVerifier } from "./token-verifier.ts";
import type { TokenVerifier } from "./token-verifier.ts";

/** Creates a verifier with a store of tokens that counts lookups, and with its own clock. */
function setUp() {
  const store = new Map<string, Caller>();
  const state = { time: 0, lookups: 0, down: false };
  const verifier = createTokenVerifier({
    // LRUCache treats a time of 0 as unknown.
    now: () => Date.UTC(2026) + state.time,
    lookup: async (secret) => {
      state.lookups += 1;
      await Promise.resolve();
      if (state.down) throw unavailable("STORAGE_UNAVAILABLE", "No connection");
      const caller = store.get(secret);
      if (caller === undefined) throw unauthenticated("TOKEN_INVALID", "No such token");
      return caller;
    },
  });
  const secret = mintTokenSecret("ORGANIZATION");
  store.set(secret, testCaller());
  return { store, state, verifier, secret };
}

async function refusal(verifier: TokenVerifier, authorization: string | undefined): Promise<string> {
  const outcome = await verifier.verify(authorization).then(
    () => "accepted",
    (error: unknown) => `${Code[getProblemFacts(error).code]} ${getProblemFacts(error).reason}`,
  );
  return outcome;
}

describe("createTokenVerifier", () => {
  it("accepts the scheme in any case, and rejects other headers without a lookup", async () => {
    const { verifier, secret, state } = setUp();
    expect((await verifier.verify(`bEaReR  ${secret}`)).tokenId).toBe("tok_1");
    state.lookups = 0;
    expect(await refusal(verifier, undefined)).toBe("Unauthenticated TOKEN_MISSING");
    expect(await refusal(verifier, "")).toBe("Unauthenticated TOKEN_MISSING");
    const wrong = [secret, `Basic ${secret}`, `Bearer ${secret}, Bearer ${secret}`, "Bearer", "Bearer swo_x"];
    for (const authorization of wrong) {
      expect(await refusal(verifier, authorization)).toBe("Unauthenticated TOKEN_INVALID");
    }
    expect(state.lookups).toBe(0);
  });

  it("looks up a token at most once a second, and rejects it afterwards if it was revoked", async () => {
    const { verifier, secret, state, store } = setUp();
    await verifier.verify(`Bearer ${secret}`);
    store.delete(secret);
    state.time = 999;
    expect((await verifier.verify(`Bearer ${secret}`)).tokenId).toBe("tok_1");
    expect(state.lookups).toBe(1);
    state.time = 1000;
    expect(await refusal(verifier, `Bearer ${secret}`)).toBe("Unauthenticated TOKEN_INVALID");
  });

  it("recalls a caller only as long as it needs no lookup", async () => {
    const { verifier, secret, state } = setUp();
    expect(verifier.recall(`Bearer ${secret}`)).toBeUndefined();
    const caller = await verifier.verify(`Bearer ${secret}`);
    expect(verifier.recall(`bearer ${secret}`)).toBe(caller);
    for (const wrong of [undefined, "", secret, "Bearer swo_x"]) expect(verifier.recall(wrong)).toBeUndefined();
    state.time = 1000;
    expect(verifier.recall(`Bearer ${secret}`)).toBeUndefined();
    expect(state.lookups).toBe(1);
  });

  it("caches rejected tokens for the same time, separately", async () => {
    const { verifier, state, secret } = setUp();
    await verifier.verify(`Bearer ${secret}`);
    const wrong = mintTokenSecret("ORGANIZATION");
    for (let round = 0; round < 3; round += 1) await refusal(verifier, `Bearer ${wrong}`);
    expect(state.lookups).toBe(2);
    for (let round = 0; round < 10_001; round += 1) {
      await refusal(verifier, `Bearer ${mintTokenSecret("PROJECT")}`);
    }
    await verifier.verify(`Bearer ${secret}`);
    expect(state.lookups).toBe(2 + 10_001);
    // The first rejected token was evicted by the many others, so the cache is bounded.
    await refusal(verifier, `Bearer ${wrong}`);
    expect(state.lookups).toBe(3 + 10_001);
  });

  it("shares one lookup between concurrent verifications", async () => {
    const { verifier, state, secret } = setUp();
    const callers = await Promise.all(Array.from({ length: 50 }, () => verifier.verify(`Bearer ${secret}`)));
    expect(new Set(callers).size).toBe(1);
    expect(state.lookups).toBe(1);
  });

  it("accepts only the callers of the last 30 s while lookups fail, and recovers at once", async () => {
    const { verifier, state, secret, store } = setUp();
    const unknown = mintTokenSecret("ORGANIZATION");
    store.set(unknown, testCaller({ tokenId: "tok_2" }));
    await verifier.verify(`Bearer ${secret}`);
    state.down = true;
    for (const time of [999, 1_000, 15_000, 29_999]) {
      state.time = time;
      expect((await verifier.verify(`Bearer ${secret}`)).tokenId).toBe("tok_1");
      expect((await verifier.refresh(`Bearer ${secret}`)).tokenId).toBe("tok_1");
      expect(await refusal(verifier, `Bearer ${unknown}`)).toBe("Unavailable IDENTITY_UNAVAILABLE");
    }
    state.time = 30_000;
    expect(await refusal(verifier, `Bearer ${secret}`)).toBe("Unavailable IDENTITY_UNAVAILABLE");
    state.down = false;
    expect((await verifier.verify(`Bearer ${secret}`)).tokenId).toBe("tok_1");
    expect((await verifier.verify(`Bearer ${unknown}`)).tokenId).toBe("tok_2");
  });

  it("does not wait for lookups of known callers after one has failed, but still makes them", async () => {
    const { verifier, state, secret } = setUp();
    await verifier.verify(`Bearer ${secret}`);
    state.down = true;
    state.time = 1_000;
    await verifier.verify(`Bearer ${secret}`);
    expect(state.lookups).toBe(2);
    state.time = 1_500;
    await Promise.all(Array.from({ length: 10 }, () => verifier.verify(`Bearer ${secret}`)));
    expect(state.lookups).toBe(3);
  });

  it("rejects a revoked token within a second after an outage", async () => {
    const { verifier, state, secret, store } = setUp();
    await verifier.verify(`Bearer ${secret}`);
    state.down = true;
    state.time = 2_000;
    await verifier.verify(`Bearer ${secret}`);
    state.down = false;
    store.delete(secret);
    state.time = 3_000;
    expect(await refusal(verifier, `Bearer ${secret}`)).toBe("Unauthenticated TOKEN_INVALID");
    // The next outage does not make it valid again.
    state.down = true;
    state.time = 4_000;
    expect(await refusal(verifier, `Bearer ${secret}`)).toBe("Unavailable IDENTITY_UNAVAILABLE");
  });

  it("passes the request ID to the lookup", async () => {
    const asked: (string | undefined)[] = [];
    const { secret } = setUp();
    const verifier = createTokenVerifier({
      lookup: async (_secret, requestId) => {
        asked.push(requestId);
        return Promise.resolve(testCaller());
      },
    });
    await verifier.verify(`Bearer ${secret}`, "req-1");
    await verifier.refresh(`Bearer ${secret}`, "req-2");
    expect(asked).toEqual(["req-1", "req-2"]);
  });

  it("refreshes a caller, and caches the result", async () => {
    const { verifier, state, secret, store } = setUp();
    await verifier.verify(`Bearer ${secret}`);
    store.set(secret, testCaller({ projectIds: ["prj_new"] }));
    expect((await verifier.verify(`Bearer ${secret}`)).projectIds).not.toEqual(["prj_new"]);
    expect((await verifier.refresh(`Bearer ${secret}`)).projectIds).toEqual(["prj_new"]);
    expect((await verifier.verify(`Bearer ${secret}`)).projectIds).toEqual(["prj_new"]);
    expect(state.lookups).toBe(2);
  });

  it("forgets the callers of an organization, and of no other", async () => {
    const { verifier, state, secret, store } = setUp();
    const other = mintTokenSecret("ORGANIZATION");
    store.set(other, testCaller({ organizationId: "org_other" }));
    await verifier.verify(`Bearer ${secret}`);
    await verifier.verify(`Bearer ${other}`);
    store.delete(secret);
    verifier.forget(testCaller().organizationId);
    expect(verifier.recall(`Bearer ${secret}`)).toBeUndefined();
    expect(await refusal(verifier, `Bearer ${secret}`)).toBe("Unauthenticated TOKEN_INVALID");
    await verifier.verify(`Bearer ${other}`);
    expect(state.lookups).toBe(3);
  });

  it("neither caches nor shares a lookup that was in progress when callers were forgotten", async () => {
    const { secret } = setUp();
    const answers: ((caller: Caller) => void)[] = [];
    const verifier = createTokenVerifier({ lookup: async () => new Promise((resolve) => answers.push(resolve)) });
    const before = verifier.verify(`Bearer ${secret}`);
    verifier.forget(testCaller().organizationId);
    const after = verifier.verify(`Bearer ${secret}`);
    const shared = verifier.verify(`Bearer ${secret}`);
    answers[1]?.(testCaller({ projectIds: ["prj_new"] }));
    expect((await after).projectIds).toEqual(["prj_new"]);
    expect(await shared).toBe(await after);
    answers[0]?.(testCaller({ projectIds: [] }));
    expect((await before).projectIds).toEqual([]);
    expect(verifier.recall(`Bearer ${secret}`)?.projectIds).toEqual(["prj_new"]);
    expect(answers.length).toBe(2);
  });
});
