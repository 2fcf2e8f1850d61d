import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "./connection.ts";

/** Where Node.js keeps what sends the requests of fetch. */
const place = Symbol.for("undici.globalDispatcher.1");
const holder = globalThis as unknown as Record<symbol, object>;

describe("--timeout", () => {
  const connectWith = (baseUrl: string, timeout: number) =>
    connect(
      { baseUrl, token: "swo_1" },
      { integer: () => timeout } as unknown as Parameters<typeof connect>[1],
      { stderr: { write: () => undefined } } as unknown as Parameters<typeof connect>[2],
    );

  it("may be longer than the limit of fetch itself, which is five minutes", async () => {
    const server = createServer((_, response) => {
      setTimeout(() => response.setHeader("content-type", "application/json").end("{}"), 2_000);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    void globalThis.Response;
    const used = holder[place]!;
    // Here the limit is short, so that the test need not wait for so long.
    holder[place] = new (used.constructor as new (limits: object) => object)({ headersTimeout: 100 });
    try {
      const options = { retries: 0 };
      await expect(connectWith(baseUrl, 60).getMe({}, options)).rejects.toThrow("Headers Timeout Error");
      expect(await connectWith(baseUrl, 301).getMe({}, options)).toEqual({});
    } finally {
      holder[place] = used;
      server.closeAllConnections();
      server.close();
    }
  });
});
