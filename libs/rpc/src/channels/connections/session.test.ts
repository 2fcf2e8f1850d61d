import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../testing/channel-peers.ts";
import { type Peer, startFramePeer, startPeer } from "../../testing/peers.ts";
import { openSession } from "./session.ts";

const request = { ":method": "POST", ":path": "/" };

const closing: Peer[] = [];
afterEach(() => Promise.all(closing.splice(0).map((peer) => peer.close())));

async function open(peer: Peer, options: { maxStreamId?: number } = {}) {
  closing.push(peer);
  const left: string[] = [];
  let ready = (): void => undefined;
  const isReady = new Promise<void>((resolve) => (ready = resolve));
  const session = openSession(
    { host: "127.0.0.1", port: peer.port },
    { ready: () => ready(), left: ({ message }) => void left.push(message) },
    options,
  );
  return { session, left, isReady };
}

describe("openSession", () => {
  it("has the windows of a fast transfer", async () => {
    const peer = await startPeer(() => undefined);
    const { session, isReady } = await open(peer);
    await isReady;
    session.open(request)?.on("error", () => undefined);
    const [server] = peer.sessions;
    const window = await eventually(
      () => server?.state.remoteWindowSize,
      (size) => (size ?? 0) > 65_535,
    );
    expect(window).toBe(4 * 1024 * 1024);
    expect(server?.remoteSettings).toMatchObject({ initialWindowSize: 4 * 1024 * 1024, enablePush: false });
  });

  it("is left once its stream IDs are exhausted, and finishes its calls", async () => {
    const peer = await startPeer((stream) => {
      setTimeout(() => {
        stream.respond();
        stream.end();
      }, 50);
    });
    const { session, left, isReady } = await open(peer, { maxStreamId: 5 });
    await isReady;
    const streams = [session.open(request), session.open(request), session.open(request)];
    expect(left).toEqual(["The connection has had all its calls."]);
    expect(session.open(request)).toBeUndefined();
    for (const stream of streams) {
      expect(stream).toBeDefined();
      if (stream !== undefined && !stream.destroyed) await once(stream.end().resume(), "close");
      expect(stream?.rstCode).toBe(0);
    }
    expect(left).toHaveLength(1);
  });

  it("is left if the server does not speak HTTP/2, or closes the connection", async () => {
    const text = await startFramePeer((_frame, socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"), {
      isSilent: true,
    });
    const closed = await startFramePeer((_frame, socket) => void socket.destroy(), { isSilent: true });
    for (const peer of [text, closed]) {
      const { left } = await open(peer);
      while (left.length === 0) await sleep(10);
      await sleep(50);
      expect(left).toHaveLength(1);
    }
  });

  it("refuses headers that HTTP/2 does not allow, and continues", async () => {
    const peer = await startPeer((stream) => void stream.respond({}, { endStream: true }));
    const { session, isReady } = await open(peer);
    await isReady;
    expect(() => session.open({ ...request, connection: "close" })).toThrow(TypeError);
    expect(session.open(request)?.on("error", () => undefined)).toBeDefined();
  });
});
