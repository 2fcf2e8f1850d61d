import { createFakeSocket } from "../testing/fake-socket.ts";
import { createReadingTurns, type ReadConnection } from "./reading-turns.ts";

const createConnection = () => ({ socket: createFakeSocket(), answeredAt: -Infinity, isEager: false });

/** Sends requests one after the other, each as soon as the last one was answered. */
function exchange(turns: ReturnType<typeof createReadingTurns>, connection: ReadConnection, requests: number): void {
  for (let n = 0; n < requests; n += 1) {
    turns.arrived(connection);
    turns.answered(connection);
  }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("the reading turns of a port", () => {
  it("begin in the order in which connections were paused, as there is room", async () => {
    const queue = { size: 1_000 };
    let now = 0;
    const turns = createReadingTurns(queue, () => now);
    const connections = Array.from({ length: 20 }, createConnection);
    const areRead = () => connections.map(({ socket }) => socket.isRead);
    for (const connection of connections) exchange(turns, connection, 2);
    expect(areRead()).not.toContain(true);
    queue.size = 29;
    await nextTurn();
    queue.size = 1_000;
    const read = areRead().indexOf(false);
    expect(read).toBeGreaterThan(0);
    expect(read % 3).toBe(0);
    expect(areRead().lastIndexOf(true)).toBe(read - 1);
    await nextTurn();
    expect(areRead()).toContain(false);
    // Nobody waits for longer than the maximum, although there is no room.
    now += 500;
    await nextTurn();
    expect(areRead()).not.toContain(false);
  });

  it("do not apply if few requests are waiting, to the first request, and to clients that pause", () => {
    const queue = { size: 2 };
    let now = 0;
    const turns = createReadingTurns(queue, () => now);
    const connection = createConnection();
    exchange(turns, connection, 10);
    expect(connection.socket.isRead).toBe(true);
    queue.size = 1_000;
    const first = createConnection();
    exchange(turns, first, 1);
    expect(first.socket.isRead).toBe(true);
    for (let n = 0; n < 3; n += 1) {
      now += 30;
      exchange(turns, connection, 1);
      expect(connection.socket.isRead).toBe(true);
    }
  });

  it("end for all connections when the server closes", () => {
    const turns = createReadingTurns({ size: 1_000 });
    const connections = Array.from({ length: 20 }, createConnection);
    for (const connection of connections) exchange(turns, connection, 2);
    turns.stop();
    for (const connection of connections) exchange(turns, connection, 2);
    expect(connections.filter(({ socket }) => !socket.isRead)).toEqual([]);
  });

  it("leave alone what is closed or already paused", () => {
    const turns = createReadingTurns({ size: 1_000 });
    const pause = (): never => expect.unreachable();
    const closed = createConnection();
    exchange(turns, { ...closed, socket: { ...closed.socket, destroyed: true, pause } }, 2);
    const paused = createConnection();
    exchange(turns, { ...paused, socket: { ...paused.socket, isPaused: () => true, pause } }, 2);
  });
});
