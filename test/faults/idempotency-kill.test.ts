import { createTokenPepper } from "@switchyard/access";
import { bootstrapOrganization } from "@switchyard/configuration";
import { connectStorage } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, runProgram } from "../processes.ts";
import type { RunningProgram } from "../processes.ts";
import { createRest } from "../rest.ts";
import type { Answer, Rest } from "../rest.ts";
import { rounds } from "../specification/office.ts";

/** Two identical requests with one key, and the serving process killed between them: one effect, one answer. */
describe("kill -9 of the service that makes the effect", () => {
  let folder: string;
  let database: TestDatabase;
  let storage: Storage;
  let environment: Record<string, string>;
  let service: RunningProgram;
  let gateway: RunningProgram;
  let url: string;
  let token: string;

  const startService = () => runProgram("apps/configuration/src/main.ts", [], environment);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-compiled-"));
    database = await startTestDatabase();
    const secret = new Uint8Array(randomBytes(32));
    const [address, port, grpcPort] = await Promise.all([freePort(), freePort(), freePort()]);
    environment = {
      MONGODB_URI: database.uri,
      SWITCHYARD_SECRET: Buffer.from(secret).toString("hex"),
      CONFIGURATION_ADDRESS: `127.0.0.1:${address}`,
      HOST: "127.0.0.1",
      PORT: String(port),
      GRPC_PORT: String(grpcPort),
      LOG_LEVEL: "info",
      // A process that ends in order leaves its compiled modules here; those after it start in half the time.
      NODE_COMPILE_CACHE: folder,
    };
    url = `http://127.0.0.1:${port}`;
    service = startService();
    gateway = runProgram("apps/gateway/src/main.ts", [], environment);
    await Promise.all([service, gateway].map((program) => program.printed(/Listening/)));
    storage = await connectStorage({ uri: database.uri, database: "switchyard_configuration" });
    const names = { organizationName: "Acme", userName: "Ada", tokenName: "Everything" };
    token = (await bootstrapOrganization({ storage, tokenPepper: createTokenPepper(secret) }, names)).secret;
    await service.end();
    service = startService();
    await service.printed(/Listening/);
  }, 120_000);

  afterAll(async () => {
    await Promise.all([gateway?.end(), service?.end()]);
    await storage?.close();
    await database?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const name = (round: number) => `Project ${round}`;
  const keyed = (round: number): Rest => createRest(url, token, { "idempotency-key": `kill ${round}` });

  function send(round: number): Promise<Answer> {
    return keyed(round).post("/api/v1/projects", { name: name(round) });
  }

  /** The request again and again, until it is answered: 503 while the service is away, 409 while a lost claim lasts. */
  async function insist(round: number): Promise<Answer> {
    for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
      const answer = await send(round);
      if (answer.status === 201) return answer;
      expect([409, 503]).toContain(answer.status);
      if (Date.now() > deadline) throw new Error(`never answered: ${answer.text}`);
    }
  }

  /** Resolves when the request of a round has been taken up by the service. */
  async function claimed(round: number): Promise<void> {
    const keys = storage.connection.collection("idempotency_keys");
    for (const deadline = Date.now() + 30_000; (await keys.countDocuments({ key: `kill ${round}` })) === 0;) {
      if (Date.now() > deadline) throw new Error("the request never reached the service");
      await sleep(1);
    }
  }

  it("leaves one effect and one answer of each request", async () => {
    const early: Answer[][] = [];
    for (let round = 0; round < rounds; round += 1) {
      let killed = false;
      // The gateway may still be waiting for the service of the round before.
      const sendOnce = async (): Promise<Answer> => {
        for (;;) {
          const answer = await send(round);
          if (answer.status !== 503 || killed) return answer;
          await sleep(20);
        }
      };
      const racing = Promise.all([sendOnce(), sendOnce()]);
      // Every fourth kill comes at any time, the others from the claim to after the answer.
      if (round % 4 === 0) await sleep(round);
      else await claimed(round).then(() => sleep((round % 7) * 5));
      killed = true;
      await service.end("SIGKILL");
      service = startService();
      early.push(await racing);
      await service.printed(/Listening/);
    }
    const late = await Promise.all(early.map((_, round) => insist(round)));
    for (const [round, answers] of early.entries()) {
      const answered = answers.filter(({ status }) => status === 201);
      expect(answers.filter(({ status }) => ![201, 409, 503].includes(status))).toEqual([]);
      for (const { text } of answered) expect(text).toBe(late[round]?.text);
    }
    const { data } = (await createRest(url, token).get("/api/v1/projects")).body;
    const made = data.map((project: { name: string }) => project.name).sort();
    expect(made).toEqual(early.map((_, round) => name(round)).sort());
    const interrupted = early.flat().filter(({ status }) => status === 503);
    expect(interrupted.length).toBeGreaterThan(0);
  }, 900_000);
});
