import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { listen } from "./listening.ts";

const options = { host: "127.0.0.1", port: 0, backlog: 4_096 };

describe("listening", () => {
  it("accepts several connections of a burst per turn of the event loop", async () => {
    if (process.platform !== "linux") return;
    const server = createServer();
    const listening = await listen(server, options);
    let accepted = 0;
    server.on("connection", () => (accepted += 1));
    const count = 256;
    const sockets = Array.from({ length: count }, () => connect(listening.port, options.host));
    let turns = 0;
    for (; accepted < count; turns += 1) await turn();
    // A single socket accepts one connection per turn; 16 sockets need at best a sixteenth of the turns.
    expect(turns).toBeLessThan(count / 2);
    for (const socket of sockets) socket.destroy();
    await listening.close();
  });

  it("serves every connection, and closes when all are closed", async () => {
    const server = createServer((_, response) => response.end("served"));
    const listening = await listen(server, options);
    const url = `http://${options.host}:${listening.port}`;
    const responses = Array.from({ length: 50 }, async () => (await fetch(url)).text());
    expect(new Set(await Promise.all(responses))).toEqual(new Set(["served"]));
    await listening.close();
    await expect(fetch(url)).rejects.toThrow();
  });

  it("rejects a port that another server uses", async () => {
    const server = createServer();
    const listening = await listen(server, options);
    await expect(listen(createServer(), { ...options, port: listening.port })).rejects.toThrow("EADDRINUSE");
    await listening.close();
    const plain = createServer().listen(0, options.host);
    await once(plain, "listening");
    const { port } = plain.address() as AddressInfo;
    await expect(listen(createServer(), { ...options, port })).rejects.toThrow("EADDRINUSE");
    plain.close();
    await once(plain, "close");
  });
});
