import { canceled } from "@switchyard/rpc";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { receiveForm } from "../rest/multipart.ts";
import { createExchange } from "./exchange.ts";
import { createByteCollector, readBody } from "./request-body.ts";

describe("a collector of the bytes of a body", () => {
  const chunks = [1, 65_536, 7, 300_000, 65_536, 0, 1_000_000].map((length, index) => Buffer.alloc(length, index + 1));
  const all = Buffer.concat(chunks);

  it.each([0, 10, all.length - 1, all.length, all.length + 100])("returns all of them if it expects %d", (expected) => {
    const body = createByteCollector(expected);
    for (const chunk of chunks) body.add(chunk);
    expect(body.size).toBe(all.length);
    expect(all.equals(body.getBytes())).toBe(true);
  });

  it("takes exactly the space that is announced, but little before the bytes arrive", () => {
    const body = createByteCollector(all.length);
    body.add(chunks[0]!);
    expect(body.getBytes().buffer.byteLength).toBeLessThan(64);
    for (const chunk of chunks.slice(1)) body.add(chunk);
    expect(body.getBytes().buffer.byteLength).toBe(all.length);
  });
});

describe("the body of a request whose client has disconnected", () => {
  it.each([
    ["a body", readBody],
    ["a form", (exchange: Parameters<typeof readBody>[0]) => receiveForm(exchange, "file", 100)],
  ] as const)("is not waited for: %s", async (_title, read) => {
    const server = createServer();
    try {
      const arrived = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
      await once(server.listen(0, "127.0.0.1"), "listening");
      const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
      client.write(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 50\r\n\r\n",
      );
      const [request, response] = await arrived;
      request.on("error", () => undefined);
      const exchange = createExchange(request, response, { requestId: "", headers: {}, expectsContinue: false });
      const left = once(response, "close");
      client.destroy();
      await left;
      await new Promise((resolve) => setImmediate(resolve));
      await expect(read(exchange, 100)).rejects.toMatchObject(canceled());
    } finally {
      server.close();
    }
  });
});
