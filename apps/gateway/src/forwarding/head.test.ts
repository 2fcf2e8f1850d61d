import { connect, type IncomingHttpHeaders } from "node:http2";
import { text } from "node:stream/consumers";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
afterAll(() => system.stop());

const query = new URLSearchParams({ encoding: "json", message: '{"projectId":"prj_1"}' });
const path = `/switchyard.classifier.v1.ClassifierService/ListClassifiers?${String(query)}`;

interface Received {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function send(method: string, own: Record<string, string>): Promise<Received> {
  const response = await fetch(`${system.gateway.url}${path}`, { method, headers: own });
  // The fetch of Node.js closes the connection after HEAD.
  const { date: _, connection: _connection, "keep-alive": _time, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text() };
}

async function sendOverHttp2(method: string, own: Record<string, string>): Promise<Received> {
  const session = connect(`http://127.0.0.1:${system.gateway.grpcPort}`);
  try {
    const stream = session.request({ ":method": method, ":path": path, ...own });
    const response = new Promise<IncomingHttpHeaders>((resolve, reject) =>
      stream.once("response", resolve).once("error", reject),
    );
    const { ":status": status, date: _, ...headers } = await response;
    return { status: Number(status), headers, body: await text(stream) };
  } finally {
    session.destroy();
  }
}

describe.each([
  ["HTTP port", send],
  ["gRPC port", sendOverHttp2],
])("HEAD of a Connect call on the %s", (_title, call) => {
  it.each([
    ["a call", true, 200],
    ["a call without a token", false, 401],
  ])("has the status and the headers of GET, and no body: %s", async (_case, hasToken, status) => {
    const own = { "x-request-id": "r-1", ...(hasToken ? { authorization: `Bearer ${system.token}` } : {}) };
    const [get, head] = [await call("GET", own), await call("HEAD", own)];
    expect(get).toMatchObject({
      status,
      headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
    });
    expect(get.body).toContain("{");
    expect(head).toEqual({ ...get, body: "" });
  });
});
