import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../serving/free-port.ts";
import { type Peer, startFramePeer, startPeer } from "../../testing/peers.ts";
import { createConnection } from "./connection.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function create(port: number) {
  const usage = { isUsed: true, losses: 0 };
  const states: string[] = [];
  const connection = createConnection(
    { host: "127.0.0.1", port },
    {
      changed: () => void states.push(connection.state),
      lost: () => (usage.losses += 1),
      isUsed: () => usage.isUsed,
    },
  );
  closing.push(() => connection.close());
  return { connection, states, usage };
}

const start = async (options: { port?: number } = {}): Promise<Awaited<ReturnType<typeof startPeer>>> => {
  const peer = await startPeer(() => undefined, options);
  closing.push(peer.close);
  return peer;
};

describe("createConnection", () => {
  it("connects when it is told to, and again when the connection is lost", async () => {
    const peer = await start();
    const { connection, states, usage } = create(peer.port);
    await sleep(20);
    expect(connection.state).toBe("idle");
    expect(connection.open({})).toBeUndefined();
    connection.connect();
    await expect.poll(() => connection.state).toBe("ready");
    for (const session of peer.sessions) session.destroy();
    await expect.poll(() => states.length).toBe(4);
    expect(states).toEqual(["connecting", "ready", "connecting", "ready"]);
    expect(usage.losses).toBe(1);
  });

  it("stays failed until an attempt succeeds", async () => {
    const port = await freePort();
    const { connection, states, usage } = create(port);
    connection.connect();
    await expect.poll(() => usage.losses).toBeGreaterThan(2);
    expect(connection.error).toMatchObject({ code: "ECONNREFUSED" });
    await start({ port });
    await expect.poll(() => connection.state).toBe("ready");
    expect(states).toEqual(["connecting", "failed", "ready"]);
  });

  it("does not connect again while it is not used, until it is told to", async () => {
    const peer = await start();
    const { connection, usage } = create(peer.port);
    connection.connect();
    await expect.poll(() => connection.state).toBe("ready");
    usage.isUsed = false;
    for (const session of peer.sessions) session.destroy();
    await expect.poll(() => connection.state).toBe("idle");
    await sleep(300);
    expect(peer.connections()).toBe(1);
    connection.connect();
    await expect.poll(() => connection.state).toBe("ready");
    expect(peer.connections()).toBe(2);
  });

  it("makes a new attempt if a server does not respond for 20 seconds, and keeps its state", async () => {
    const peer: Peer = await startFramePeer(() => undefined, { isSilent: true });
    closing.push(peer.close);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { connection, states } = create(peer.port);
      connection.connect();
      await eventLoop(() => peer.connections() === 1);
      vi.advanceTimersByTime(19_999);
      vi.advanceTimersByTime(1);
      vi.advanceTimersByTime(1_000);
      await eventLoop(() => peer.connections() === 2);
      expect(states).toEqual(["connecting"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not connect again after it was closed", async () => {
    const peer = await start();
    const { connection } = create(peer.port);
    connection.connect();
    await expect.poll(() => connection.state).toBe("ready");
    connection.close();
    connection.connect();
    await expect.poll(() => peer.sessions.size).toBe(0);
    await sleep(300);
    expect(peer.connections()).toBe(1);
  });
});

/** Waits without timers. */
async function eventLoop(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
