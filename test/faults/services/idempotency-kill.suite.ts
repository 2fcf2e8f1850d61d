import { connectStorage } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { setTimeout as sleep } from "node:timers/promises";
import { createRest } from "../../rest.ts";
import type { RestResponse } from "../../rest.ts";
import { givenSystem } from "../../specification/testing/office.ts";
import type { GivenSystem } from "../../specification/testing/office.ts";

const long = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const rounds = long ? 200 : 5;

/** Two identical requests with one key have one effect and one response, even if the service is killed between them. */
export function idempotencyKillSuite(where: GivenSystem): void {
  const given = givenSystem(where);
  let storage: Storage;

  beforeAll(async () => {
    storage = await connectStorage({ uri: given.system.uri, database: "switchyard_configuration" });
  });
  afterAll(() => storage?.close());

  const name = (round: number) => `Project ${round}`;
  const getKey = (round: number) => `kill ${round}`;

  function send(round: number): Promise<RestResponse> {
    const rest = createRest(given.system.url, given.system.token, { "idempotency-key": getKey(round) }, 0);
    return rest.post("/api/v1/projects", { name: name(round) });
  }

  /** Repeats the request until it succeeds. It gets 503 while the service is down, and 409 while the claim of the killed one lasts. */
  async function retryUntilSuccess(round: number): Promise<RestResponse> {
    for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
      const response = await send(round);
      if (response.status === 201) return response;
      expect([409, 503]).toContain(response.status);
      if (Date.now() > deadline) throw new Error(`never answered: ${response.text}`);
    }
  }

  /** Waits until the service has started the request of a round. */
  async function claimed(round: number): Promise<void> {
    const keys = storage.connection.collection("idempotency_keys");
    for (const deadline = Date.now() + 60_000; (await keys.countDocuments({ key: getKey(round) })) === 0;) {
      if (Date.now() > deadline) throw new Error("the request never reached the service");
      await sleep(1);
    }
  }

  /** Sends the request twice at once, kills and restarts the service, and returns both responses. */
  async function interrupt(round: number): Promise<RestResponse[]> {
    let killed = false;
    // The gateway may not have reconnected to the service since the previous round.
    const sendOnce = async (): Promise<RestResponse> => {
      for (;;) {
        const response = await send(round);
        if (response.status !== 503 || killed) return response;
        await sleep(20);
      }
    };
    const racing = Promise.all([sendOnce(), sendOnce()]);
    // Every fourth kill is at a random time, the others are between the claim and shortly after the response.
    if (round % 4 === 0) await sleep(round);
    else await claimed(round).then(() => sleep((round % 7) * 5));
    killed = true;
    const start = await given.system.stop("configuration", "SIGKILL");
    await start();
    return racing;
  }

  it("leaves one effect and one response of each request", async () => {
    const early: RestResponse[][] = [];
    for (let round = 0; round < rounds; round += 1) early.push(await interrupt(round));
    const late = await Promise.all(early.map((_, round) => retryUntilSuccess(round)));
    for (const [round, responses] of early.entries()) {
      for (const { status, text } of responses) {
        expect([201, 409, 503]).toContain(status);
        if (status === 201) expect(text).toBe(late[round]?.text);
      }
    }
    // With few rounds, every kill may be too late to interrupt a request.
    if (long) expect(early.flat().filter(({ status }) => status === 503).length).toBeGreaterThan(0);
    const { data } = (await createRest(given.system.url, given.system.token).get("/api/v1/projects")).body;
    const made = data.map((project: { name: string }) => project.name).sort();
    expect(made).toEqual(early.map((_, round) => name(round)).sort());
  }, 900_000);
}
