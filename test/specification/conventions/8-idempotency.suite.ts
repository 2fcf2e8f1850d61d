import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { getProblemFacts } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createRest } from "../../rest.ts";
import type { RestResponse, Rest } from "../../rest.ts";
import type { Running } from "../../system.ts";
import { sample } from "../../journeys/fixture.ts";
import { getBody, givenOffice, refusal, rounds } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

/** Section 8 of the API: a request with an Idempotency-Key has one effect. */
export function idempotencySuite(where: Where): void {
  const given = givenOffice(where);
  let counter = 0;

  /** Returns the API with the given key, or with one that no test has used. */
  function keyed(key = `key ${(counter += 1)}`, token = given.system.token, url = given.system.url): Rest {
    return createRest(url, token, { "idempotency-key": key });
  }

  /** Returns status, code if there is one, and whether the response is a replay. */
  function summarize({ status, body, headers }: RestResponse): string {
    const replayed = headers.get("idempotency-replayed") === "true" ? ["replayed"] : [];
    return [status, ...(status < 400 ? [] : [body.code]), ...replayed].join(" ");
  }

  async function issueToken(fields: object): Promise<{ id: string; secret: string }> {
    const all = { name: "Less", scope: "PROJECT", projectId: given.office.projectId, permissions: ["classify"] };
    return getBody(given.rest.post("/api/v1/tokens", { ...all, ...fields }), 201);
  }

  it("replays status, body and Location, and marks the replay", async () => {
    const rest = keyed();
    const first = await rest.post("/api/v1/projects", { name: "Once" });
    const again = await rest.post("/api/v1/projects", { name: "Once" });
    expect([summarize(first), summarize(again)]).toEqual(["201", "201 replayed"]);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("location")).toBe(`/api/v1/projects/${first.body.id}`);
    const { data } = await getBody(given.rest.get("/api/v1/projects"), 200);
    expect(data.filter(({ name }: any) => name === "Once")).toHaveLength(1);
  });

  it("of another request is 422, whatever is wrong with that request", async () => {
    const rest = keyed();
    await getBody(rest.post("/api/v1/projects", { name: "This" }), 201);
    expect(await refusal(rest.post("/api/v1/projects", { name: "That" }))).toBe(
      "422 IDEMPOTENCY_KEY_REUSED Idempotency-Key",
    );
    expect(summarize(await rest.post("/api/v1/users", { name: "This" }))).toBe("422 IDEMPOTENCY_KEY_REUSED");
    expect(summarize(await rest.post("/api/v1/projects", { name: "" }))).toBe("422 IDEMPOTENCY_KEY_REUSED");
    // A body that cannot be parsed does not use the key.
    expect(summarize(await rest.post("/api/v1/projects", { title: "This" }))).toBe("400 INVALID_REQUEST");
  });

  it("compares the content of requests, not their notation", async () => {
    const rest = keyed();
    const { text } = await rest.post("/api/v1/projects", { name: "Said", teamIds: [] });
    const init = { method: "POST", headers: { "content-type": "application/json; charset=utf-8" } };
    const again = await rest.send("/api/v1/projects", { ...init, body: ' {"teamIds": null, "name": "\\u0053aid"} ' });
    expect([summarize(again), again.text]).toEqual(["201 replayed", text]);
  });

  it("is released when its request fails", async () => {
    const rest = keyed();
    const path = `/api/v1/deployments/${given.office.invoices}/extractions`;
    expect(await refusal(rest.post(path, { fileId: "fil_unknown" }))).toBe("404 FILE_NOT_FOUND fileId");
    const file = await getBody(
      given.rest.upload(`/api/v1/projects/${given.office.projectId}/files`, "a.txt", Buffer.from("Invoice No. 1")),
      201,
    );
    expect(summarize(await rest.post(path, { fileId: file.id }))).toBe("201");
  });

  it("belongs to a token, even after its rotation", async () => {
    const body = { text: "An invoice" };
    const path = `/api/v1/classify/${given.office.classifier}`;
    const one = await issueToken({});
    const other = await issueToken({});
    const first = await keyed("shared", one.secret).post(path, body);
    const second = await keyed("shared", other.secret).post(path, { text: "Another invoice" });
    expect([summarize(first), summarize(second)]).toEqual(["201", "201"]);
    const rotated = await getBody(given.rest.post(`/api/v1/tokens/${one.id}:rotate`, { graceSeconds: 60 }), 201);
    for (const secret of [one.secret, rotated.secret]) {
      const again = await keyed("shared", secret).post(path, body);
      expect([summarize(again), again.text]).toEqual(["201 replayed", first.text]);
    }
    expect((await given.rest.send(`/api/v1/tokens/${one.id}`, { method: "DELETE" })).status).toBe(204);
    const revoked = async () => (await keyed("shared", rotated.secret).post(path, body)).status;
    for (const deadline = Date.now() + 60_000; (await revoked()) !== 401; await sleep(50)) {
      if (Date.now() > deadline) throw new Error("a revoked token is still replayed to");
    }
  });

  it("replays to a token that has lost access since", async () => {
    const { rest } = given;
    const me = await getBody(rest.get("/api/v1/me"), 200);
    const granted = { name: "Reach", projectIds: [given.office.projectId], userIds: [me.user.id] };
    const team = await getBody(rest.post("/api/v1/teams", granted), 201);
    const token = await issueToken({ scope: "ORGANIZATION", projectId: null, teamIds: [team.id] });
    const path = `/api/v1/classify/${given.office.classifier}`;
    const once = keyed(undefined, token.secret);
    const first = await once.post(path, { text: "An invoice" });
    await getBody(rest.patch(`/api/v1/teams/${team.id}`, { projectIds: [] }), 200);
    const refused = async () => (await createRest(given.system.url, token.secret).post(path, { text: "B" })).status;
    for (const deadline = Date.now() + 60_000; (await refused()) !== 403; await sleep(50)) {
      if (Date.now() > deadline) throw new Error("a lost grant is still good");
    }
    const again = await once.post(path, { text: "An invoice" });
    expect([summarize(again), again.text]).toEqual(["201 replayed", first.text]);
  });

  it("never returns a secret twice", async () => {
    const body = { name: "Secret", scope: "PROJECT", projectId: given.office.projectId, permissions: ["classify"] };
    const rest = keyed();
    const issued = await getBody(rest.post("/api/v1/tokens", body), 201);
    const again = await rest.post("/api/v1/tokens", body);
    expect(summarize(again)).toBe("409 SECRET_ALREADY_ISSUED");
    const rotation = keyed();
    const path = `/api/v1/tokens/${issued.id}:rotate`;
    const { secret } = await getBody(rotation.post(path, { graceSeconds: 0 }), 201);
    expect(summarize(await rotation.post(path, { graceSeconds: 0 }))).toBe("409 SECRET_ALREADY_ISSUED");
    expect((await createRest(given.system.url, secret).get("/api/v1/me")).status).toBe(200);
  });

  it.each([
    ["is empty", [""]],
    ["is too long", ["k".repeat(256)]],
    ["has a comma", ["one,two"]],
    ["is not ASCII", ["clé"]],
    ["has a control character", ["a\tb"]],
    ["comes twice", ["one", "two"]],
    ["comes twice and is the same", ["one", "one"]],
  ])("is 400 when it %s", async (_what, values) => {
    const call = request(`${given.system.url}/api/v1/projects`, {
      method: "POST",
      headers: { authorization: `Bearer ${given.system.token}`, "content-type": "application/json" },
    });
    call.setHeader("idempotency-key", values);
    call.end(JSON.stringify({ name: "Never" }));
    const [response] = await once(call, "response");
    let text = "";
    for await (const chunk of response) text += chunk;
    expect([response.statusCode, JSON.parse(text).errors[0].field]).toEqual([400, "Idempotency-Key"]);
  });

  it("has 1 to 255 characters, and is ignored by methods that create nothing", async () => {
    for (const key of ["~", 'a "quoted" key; with=everything', "k".repeat(255)]) {
      expect(summarize(await keyed(key).post("/api/v1/users", { name: "Ada" }))).toBe("201");
      expect(summarize(await keyed(key).post("/api/v1/users", { name: "Ada" }))).toBe("201 replayed");
    }
    const wrong = keyed("a,b");
    expect((await wrong.get("/api/v1/me")).status).toBe(200);
    const renamed = await wrong.patch(`/api/v1/deployments/${given.office.receipts}`, { name: "Receipts" });
    expect(renamed.status).toBe(200);
  });

  it("works over Connect and gRPC, and across REST", async () => {
    const transports = [
      createConnectTransport({ baseUrl: given.system.url, httpVersion: "1.1" }),
      createGrpcTransport({ baseUrl: `http://127.0.0.1:${given.system.grpcPort}` }),
    ];
    const first = await getBody(keyed("everywhere").post("/api/v1/users", { name: "Grace" }), 201);
    for (const transport of transports) {
      const client = createClient(IdentityService, transport);
      const options = (key: string, onHeader?: (headers: Headers) => void) => ({
        headers: { authorization: `Bearer ${given.system.token}`, "idempotency-key": key },
        ...(onHeader === undefined ? {} : { onHeader }),
      });
      let replayed: string | null = null;
      const onHeader = (headers: Headers) => void (replayed = headers.get("idempotency-replayed"));
      expect((await client.createUser({ name: "Grace" }, options("everywhere", onHeader))).id).toBe(first.id);
      expect(replayed).toBe("true");
      const getReason = (key: string, name: string) => client.createUser({ name }, options(key)).catch(getProblemFacts);
      expect(await getReason("everywhere", "Hopper")).toMatchObject({ reason: "IDEMPOTENCY_KEY_REUSED" });
      expect(await getReason("a,b", "Hopper")).toMatchObject({
        reason: "INVALID_REQUEST",
        violations: [{ field: "Idempotency-Key" }],
      });
    }
  });

  describe("of a file", () => {
    const path = () => `/api/v1/projects/${given.office.projectId}/files`;

    it("identifies it by name, type and bytes, in whatever chunks and over whatever protocol it is sent", async () => {
      const bytes = Buffer.from("Invoice No. 42\n".repeat(20_000));
      const raw = (rest: Rest, body: Uint8Array<ArrayBuffer>, name = "a.txt") =>
        rest.send(`${path()}?filename=${name}`, { method: "POST", headers: { "content-type": "text/plain" }, body });
      const rest = keyed("file");
      const first = await raw(rest, new Uint8Array(bytes));
      expect(summarize(first)).toBe("201");
      const form = new FormData();
      form.append("file", new Blob([bytes], { type: "text/plain" }), "a.txt");
      const asForm = await rest.send(path(), { method: "POST", body: form });
      expect([summarize(asForm), asForm.text]).toEqual(["201 replayed", first.text]);
      const client = createClient(
        ExtractionService,
        createGrpcTransport({ baseUrl: `http://127.0.0.1:${given.system.grpcPort}` }),
      );
      async function* pieces() {
        yield { projectId: given.office.projectId, filename: "a.txt", contentType: "text/plain" };
        for (let at = 0; at < bytes.length; at += 77_777) yield { data: bytes.subarray(at, at + 77_777) };
        yield { last: true };
      }
      const headers = { authorization: `Bearer ${given.system.token}`, "idempotency-key": "file" };
      expect((await client.uploadFile(pieces(), { headers })).id).toBe(first.body.id);
      expect(summarize(await raw(rest, new Uint8Array(Buffer.from("another"))))).toBe("422 IDEMPOTENCY_KEY_REUSED");
      expect(summarize(await raw(rest, new Uint8Array(bytes), "b.txt"))).toBe("422 IDEMPOTENCY_KEY_REUSED");
    });

    it("is in use during the upload", async () => {
      const storage = await connectStorage({ uri: given.system.uri, database: "switchyard_extraction" });
      const key = `slow ${Date.now()}`;
      const claimed = () => storage.connection.collection("idempotency_keys").countDocuments({ key });
      let proceed = (): void => undefined;
      const free = new Promise<void>((resolve) => (proceed = resolve));
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(Buffer.from("Invoice "));
          await free;
          controller.enqueue(Buffer.from("No. 1"));
          controller.close();
        },
      });
      const headers = { "content-type": "text/plain" };
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      const first = keyed(key).send(`${path()}?filename=a.txt`, init);
      for (const deadline = Date.now() + 60_000; (await claimed()) === 0; await sleep(10)) {
        if (Date.now() > deadline) throw new Error("the key was never claimed");
      }
      const whole = { method: "POST", headers, body: "Invoice No. 1" };
      const second = keyed(key).send(`${path()}?filename=a.txt`, whole);
      expect(await refusal(second)).toBe("409 IDEMPOTENCY_KEY_IN_USE Idempotency-Key");
      proceed();
      expect(summarize(await first)).toBe("201");
      expect(summarize(await keyed(key).send(`${path()}?filename=a.txt`, whole))).toBe("201 replayed");
      await storage.close();
    });

    it("is the same for a document sent as a form and as base64", async () => {
      const invoice = await sample("invoice-harbour-lane.pdf");
      const rest = keyed();
      const classify = `/api/v1/classify/${given.office.classifier}`;
      const first = await rest.upload(classify, "invoice.pdf", invoice);
      expect(summarize(first)).toBe("201");
      const data = Buffer.from(invoice).toString("base64");
      const content = { filename: "invoice.pdf", contentType: "application/octet-stream", data };
      const again = await rest.post(classify, { content });
      expect([summarize(again), again.text]).toEqual(["201 replayed", first.text]);
      expect(summarize(await rest.post(classify, { content, extract: false }))).toBe("422 IDEMPOTENCY_KEY_REUSED");
    });
  });

  describe("of concurrent requests through two replicas of everything", () => {
    let replica: Running;
    beforeAll(async () => (replica = await given.system.replica()));
    afterAll(() => replica?.close());

    /** Sends one request through both gateways concurrently, and repeats it until both return the response. */
    async function race(path: string, body: object): Promise<RestResponse[]> {
      const key = `race ${(counter += 1)}`;
      const send = async (url: string): Promise<RestResponse> => {
        for (;;) {
          const response = await keyed(key, given.system.token, url).post(path, body);
          if (response.status !== 409) return response;
          expect(summarize(response)).toBe("409 IDEMPOTENCY_KEY_IN_USE");
          await sleep(5);
        }
      };
      return Promise.all([given.system.url, replica.url, given.system.url].map(send));
    }

    it("has one effect and one response in every round", async () => {
      const path = `/api/v1/classify/${given.office.classifier}`;
      const counted = async () => (await getBody(given.rest.get(path), 200)).classificationCount;
      const before = await counted();
      for (let round = 0; round < rounds; round += 1) {
        const raced = await Promise.all([
          race(path, { text: `Invoice No. ${round}, total due 10.00` }),
          race("/api/v1/projects", { name: `Raced ${round}` }),
        ]);
        for (const responses of raced) {
          expect(responses.map(summarize).sort()).toEqual(["201", "201 replayed", "201 replayed"]);
          expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
        }
      }
      expect(await counted()).toBe(before + rounds);
      const { data } = await getBody(given.rest.get("/api/v1/projects"), 200);
      expect(data.filter(({ name }: any) => name.startsWith("Raced "))).toHaveLength(rounds);
    });
  });
}
