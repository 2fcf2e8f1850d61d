import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { startTestGateway, type TestGateway, type Way } from "../testing/test-gateway.ts";

describe.each<Way>(["direct", "channel"])("with services reached %s", (way) => {
  let system: TestGateway;
  /** A gateway with limits that are short enough for tests. */
  let shortLimits: TestGateway;
  beforeAll(async () => {
    system = await startTestGateway({}, way);
    shortLimits = await startTestGateway({ headersTimeoutMs: 400, requestTimeoutMs: 1_500, deadlineMs: 2_000 }, way);
  });
  afterAll(() => Promise.all([system.stop(), shortLimits.stop()]));

  const open: Socket[] = [];
  afterEach(() => open.splice(0).forEach((socket) => socket.destroy()));

  function dial(to = system): Socket {
    const socket = connect(to.gateway.port, "127.0.0.1");
    socket.on("error", () => undefined);
    open.push(socket);
    return socket;
  }

  /** Writes the pieces unchanged, and reads until the server closes the connection. */
  const exchange = (...pieces: (string | Buffer)[]): Promise<string> => exchangeWith(system, ...pieces);

  async function exchangeWith(to: TestGateway, ...pieces: (string | Buffer)[]): Promise<string> {
    const socket = dial(to);
    const received = readAll(socket);
    for (const piece of pieces) socket.write(piece);
    return received;
  }

  async function readAll(socket: Socket): Promise<string> {
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    await once(socket, "close");
    return text;
  }

  const head = (line: string, ...headers: string[]) => getHead(system, line, ...headers);
  const getHead = ({ token }: TestGateway, line: string, ...headers: string[]) =>
    [line, "host: x", `authorization: Bearer ${token}`, ...headers, "", ""].join("\r\n");

  const getStatuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
  const toProblem = (text: string) => JSON.parse(text.slice(text.indexOf("{"))) as Record<string, unknown>;

  describe("requests that are not valid HTTP", () => {
    it.each([
      [
        "both kinds of length",
        () => head("POST /api/v1/classify HTTP/1.1", "content-length: 4", "transfer-encoding: chunked") + "0\r\n\r\n",
      ],
      ["two lengths", () => head("POST /api/v1/classify HTTP/1.1", "content-length: 4", "content-length: 5") + "abcd"],
      ["a folded header", () => head("GET /api/v1/me HTTP/1.1", "x-a: b", " folded")],
      ["a bare line feed", () => "GET /api/v1/me HTTP/1.1\nhost: x\n\n"],
      ["no host", () => "GET /api/v1/me HTTP/1.1\r\n\r\n"],
      ["garbage", () => "\x16\x03\x01\x02\x00\x01\r\n\r\n"],
    ])("are answered with 400 and a problem, before the connection is closed: %s", async (_title, text) => {
      const response = await exchange(text());
      expect(getStatuses(response)).toEqual([400]);
      expect(toProblem(response)).toMatchObject({ status: 400, title: "Bad Request" });
    });

    it("are answered with 431 for large headers, and 414 for a long target", async () => {
      const closing = "connection: close";
      const large = await exchange(head("GET /api/v1/me HTTP/1.1", `x-a: ${"a".repeat(17_000)}`));
      expect(toProblem(large)).toMatchObject({ status: 431, code: "HEADERS_TOO_LARGE" });
      const long = await exchange(head(`GET /api/v1/${"a".repeat(9_000)} HTTP/1.1`, closing));
      expect(toProblem(long)).toMatchObject({ status: 414, code: "URI_TOO_LONG" });
    });

    it("are answered with 400 for CONNECT, as for every target that is neither a path nor a URL of HTTP", async () => {
      const response = await exchange(head("CONNECT example.org:443 HTTP/1.1"));
      expect(toProblem(response)).toMatchObject({ status: 400, code: "INVALID_REQUEST", instance: "example.org:443" });
      for (const target of ["ftp://x/api/v1/me", "http://a@x/api/v1/me", "*"])
        expect(getStatuses(await exchange(head(`GET ${target} HTTP/1.1`, "connection: close")))).toEqual([400]);
      expect(getStatuses(await exchange(head("GET /api/v1/me HTTP/1.1", "connection: close")))).toEqual([200]);
    });

    it("are answered with what is wrong if the target is not percent-encoded", async () => {
      const response = await exchange(Buffer.from(head("GET /api/v1/classify?projectId=ü HTTP/1.1")));
      expect(toProblem(response)).toMatchObject({ status: 400, code: "MALFORMED_REQUEST" });
      expect(toProblem(response)["detail"]).toContain("Percent-encode");
    });

    it("are answered with 408 if they do not end", async () => {
      expect(toProblem(await exchangeWith(shortLimits, "GET /api/v1/me HT"))).toMatchObject({ status: 408 });
      const length = ["content-type: application/json", "content-length: 10"];
      const slow = getHead(shortLimits, "POST /api/v1/classify HTTP/1.1", ...length);
      expect(toProblem(await exchangeWith(shortLimits, slow, "{"))).toMatchObject({ status: 408 });
    });

    it("are answered with 401 for two tokens, over REST and Connect", async () => {
      const second = `authorization: Bearer ${system.token}`;
      expect(getStatuses(await exchange(head("GET /api/v1/me HTTP/1.1", second, "connection: close")))).toEqual([401]);
      const path = "/switchyard.identity.v1.IdentityService/GetMe";
      const headers = [second, "content-type: application/json", "content-length: 2", "connection: close"];
      expect(getStatuses(await exchange(head(`POST ${path} HTTP/1.1`, ...headers) + "{}"))).toEqual([401]);
    });

    it("are not normalized", async () => {
      for (const path of ["/api/v1/../v1/me", "/api/v1/%6de", "/api//v1/me", "/api/v1/me/"])
        expect(getStatuses(await exchange(head(`GET ${path} HTTP/1.1`, "connection: close")))).toEqual([404]);
    });
  });

  describe("bodies that are faulty or late", () => {
    const ids = ["x-request-id: mine", "content-type: application/json"];

    it("are answered with the path and the ID of their request", async () => {
      const mine = { instance: "/api/v1/classify", requestId: "mine" };
      const chunked = head("POST /api/v1/classify HTTP/1.1", "transfer-encoding: chunked", ...ids);
      expect(toProblem(await exchange(chunked, "zz\r\n"))).toMatchObject({ status: 400, ...mine });
      const slow = getHead(shortLimits, "POST /api/v1/classify HTTP/1.1", "content-length: 10", ...ids);
      expect(toProblem(await exchangeWith(shortLimits, slow, "{"))).toMatchObject({ status: 408, ...mine });
    });

    it("get no body in response to HEAD", async () => {
      const response = await exchange(head("HEAD /api/v1/me HTTP/1.1", "transfer-encoding: chunked"), "zz\r\n");
      expect(response).toMatch(/^HTTP\/1\.1 400 [^]*\r\n\r\n$/);
    });
  });

  describe("bodies in chunks", () => {
    const chunked = ["transfer-encoding: chunked", "connection: close"];
    const removal = "DELETE /api/v1/classify/clf_1 HTTP/1.1";
    const creation = "POST /api/v1/classify/clf_1/routes HTTP/1.1";

    it.each([
      ["in one piece", ["0\r\n\r\n"]],
      ["in two pieces", ["0\r\n", "\r\n"]],
    ])("count as absent if they are empty, %s", async (_title, pieces) => {
      const send = async (line: string): Promise<string> => {
        const socket = dial();
        const received = readAll(socket);
        for (const piece of [head(line, ...chunked), ...pieces]) {
          socket.write(piece);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return received;
      };
      expect(getStatuses(await send("GET /api/v1/me HTTP/1.1"))).toEqual([200]);
      expect(getStatuses(await send(creation))).toEqual([201]);
    });

    it("are refused by their type if they are not empty, and where there is no body", async () => {
      const body = "1\r\n{\r\n0\r\n\r\n";
      expect(getStatuses(await exchange(head(creation, ...chunked), body))).toEqual([415]);
      expect(toProblem(await exchange(head(removal, ...chunked), body))).toMatchObject({ errors: [{ field: "body" }] });
    });

    it("may follow another request on the connection", async () => {
      const next = head("GET /api/v1/me HTTP/1.1", "connection: close");
      const first = head("GET /api/v1/me HTTP/1.1", "transfer-encoding: chunked");
      expect(getStatuses(await exchange(`${first}0\r\n\r\n${next}`))).toEqual([200, 200]);
    });
  });

  describe("bodies that are too large", () => {
    const type = "content-type: application/json";

    it("are rejected at once if the request declares the length", async () => {
      const socket = dial();
      socket.write(head("POST /api/v1/classify HTTP/1.1", type, "content-length: 99999999"));
      const [first] = (await once(socket, "data")) as [Buffer];
      expect(toProblem(first.toString())).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" });
    });

    it("are rejected while a chunked body is sent, before the connection is closed", async () => {
      const socket = dial();
      const received = readAll(socket);
      socket.write(head("POST /api/v1/classify HTTP/1.1", type, "transfer-encoding: chunked"));
      const chunk = Buffer.alloc(65_536, 32);
      for (let index = 0; index < 40; index += 1) {
        socket.write("10000\r\n");
        socket.write(chunk);
        socket.write("\r\n");
      }
      expect(toProblem(await received)).toMatchObject({ status: 413 });
    });

    it("are not requested by 100 Continue", async () => {
      const headers = [type, "content-length: 99999999", "expect: 100-continue"];
      expect(getStatuses(await exchange(head("POST /api/v1/classify HTTP/1.1", ...headers)))).toEqual([413]);
      const wanted = head(
        "POST /api/v1/classify/c/routes HTTP/1.1",
        type,
        "content-length: 2",
        "expect: 100-continue",
        "connection: close",
      );
      const socket = dial();
      const received = readAll(socket);
      socket.write(wanted);
      await once(socket, "data");
      socket.write("{}");
      expect(getStatuses(await received)).toEqual([100, 201]);
    });
  });

  describe("incomplete uploads", () => {
    const start = (length: string) =>
      head("POST /api/v1/projects/prj_1/files HTTP/1.1", "content-type: multipart/form-data; boundary=b", length) +
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-';

    const raw = (length: string) =>
      head("POST /api/v1/projects/prj_1/files?filename=a.pdf HTTP/1.1", "content-type: application/pdf", length);

    it.each([
      ["a form", () => start("content-length: 100000")],
      ["a raw body with a declared length", () => raw("content-length: 100000")],
      ["a raw body in chunks", () => `${raw("transfer-encoding: chunked")}2710\r\n`],
    ])("are not stored if the client disconnects: %s", async (_title, beginning) => {
      for (let round = 0; round < 20; round += 1) {
        const { begun, ended } = system.uploads;
        const socket = dial();
        socket.write(beginning());
        socket.write(Buffer.alloc(10_000));
        await expect.poll(() => system.uploads.begun).toBeGreaterThan(begun);
        socket.destroy();
        await expect.poll(() => system.uploads.ended).toBeGreaterThan(ended);
      }
      expect(system.stored).toEqual([]);
    });

    it("are not stored if the client closes its side of the connection", async () => {
      const socket = dial();
      const received = readAll(socket);
      socket.end(start("content-length: 100000"));
      await received;
      expect(system.stored).toEqual([]);
    });

    it("are answered with 400 if the form has no last boundary", async () => {
      const body = start("").split("\r\n\r\n").slice(1).join("\r\n\r\n");
      const headers = [
        "content-type: multipart/form-data; boundary=b",
        `content-length: ${body.length}`,
        "connection: close",
      ];
      const response = await exchange(head("POST /api/v1/projects/prj_1/files HTTP/1.1", ...headers) + body);
      expect(toProblem(response)).toMatchObject({ status: 400, errors: [{ field: "body" }] });
      expect(system.stored).toEqual([]);
    });
  });

  describe("calls that end early", () => {
    it("are aborted if the client disconnects", async () => {
      const socket = dial();
      socket.write(head("GET /api/v1/projects/slow HTTP/1.1"));
      await expect.poll(() => system.calls.length).toBeGreaterThan(0);
      expect(system.aborted).toEqual([]);
      socket.destroy();
      await expect.poll(() => system.aborted.length).toBeGreaterThan(0);
      expect(system.aborted).toEqual(["slow"]);
    });

    it("are answered with 504 after the deadline", async () => {
      const slow = getHead(shortLimits, "GET /api/v1/projects/slow HTTP/1.1", "connection: close");
      const response = await exchangeWith(shortLimits, slow);
      expect(toProblem(response)).toMatchObject({ status: 504, code: "DEADLINE_EXCEEDED" });
    });
  });

  it("serves further requests after all of these", async () => {
    const response = await exchange(head("GET /api/v1/me HTTP/1.1", "connection: close"));
    expect(getStatuses(response)).toEqual([200]);
  });
});
