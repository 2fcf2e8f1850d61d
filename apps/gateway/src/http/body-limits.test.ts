import { type Socket } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts } from "@switchyard/rpc";
import { closed, usePorts } from "../testing/ports.ts";

const ports = usePorts();
const { start, dial, servesOthers } = ports;

describe("request bodies", () => {
  const upload = (length: number, token: string) =>
    [
      "POST /api/v1/projects/prj_1/files?filename=a.bin HTTP/1.1",
      "host: x",
      `authorization: Bearer ${token}`,
      "content-type: application/octet-stream",
      `content-length: ${length}`,
      "connection: close",
      "",
      "",
    ].join("\r\n");

  async function readResponse(socket: Socket): Promise<string> {
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    await closed(socket);
    return text;
  }

  it("wait for memory without delaying other requests, and are rejected with 503 after a timeout", async () => {
    await start({ maxBodyBytes: 1_000_000, bodyTimeoutMs: 400 });
    const size = 600_000;
    const first = dial(ports.system.gateway.port, Buffer.from(upload(size, ports.system.token)), Buffer.alloc(1_000));
    await expect.poll(() => ports.system.gateway.count().bodyBytes).toBe(size);
    const refused = await readResponse(dial(ports.system.gateway.port, Buffer.from(upload(size, ports.system.token))));
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toMatch(/retry-after: \d+/i);
    expect(refused).toContain("OVERLOADED");
    async function* parts() {
      yield { projectId: "prj_1", filename: "b.bin" };
      yield { data: new Uint8Array(500_000) };
      yield { last: true };
    }
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${ports.system.gateway.grpcPort}` });
    const headers = { authorization: `Bearer ${ports.system.token}` };
    const client = createClient(ExtractionService, transport);
    const failure = await client.uploadFile(parts(), { headers }).catch((error: unknown) => error);
    expect(getProblemFacts(failure).reason).toBe("OVERLOADED");
    await servesOthers();

    const response = readResponse(first);
    first.write(Buffer.alloc(size - 1_000));
    expect(await response).toMatch(/^HTTP\/1\.1 201 /);
    await expect.poll(() => ports.system.gateway.count().bodyBytes).toBe(0);
    expect(await client.uploadFile(parts(), { headers })).toMatchObject({ size: 500_000 });
    await expect.poll(() => ports.system.gateway.count().bodyBytes).toBe(0);
  });

  it("release their memory when their client disconnects", async () => {
    await start({ maxBodyBytes: 1_000_000 });
    const socket = dial(
      ports.system.gateway.port,
      Buffer.from(upload(900_000, ports.system.token)),
      Buffer.alloc(1_000),
    );
    await expect.poll(() => ports.system.gateway.count().bodyBytes).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(() => ports.system.gateway.count().bodyBytes).toBe(0);
  });
});
