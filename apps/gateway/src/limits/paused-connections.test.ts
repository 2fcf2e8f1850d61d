import { setTimeout as sleep } from "node:timers/promises";
import { createFakeSocket } from "../testing/fake-socket.ts";
import { createPausedConnections } from "./paused-connections.ts";

const count = 2_000;

describe("the paused connections of a port", () => {
  it("are those that were refused too often, and are woken in order a few at a time", async () => {
    const paused = createPausedConnections();
    const connections = Array.from({ length: count }, createFakeSocket);
    for (const connection of connections) paused.refused(connection);
    const isRead = connections.map((connection) => connection.isRead);
    // A burst is not delayed.
    expect(isRead.indexOf(false)).toBeGreaterThanOrEqual(200);
    expect(isRead.filter((each) => !each).length).toBeGreaterThan(count / 2);
    await expect.poll(() => connections.some((each, index) => each.isRead && isRead[index] === false)).toBe(true);
    expect(connections.every((each) => each.isRead)).toBe(false);
    const woken = connections.map((each) => each.isRead).indexOf(false);
    expect(connections.slice(woken).some((each) => each.isRead)).toBe(false);
    await expect.poll(() => connections.every((each) => each.isRead)).toBe(true);
  });

  it("are none if clients wait after a refusal", async () => {
    const paused = createPausedConnections();
    const connection = createFakeSocket();
    for (let round = 0; round < 5; round += 1) {
      for (let n = 0; n < 50; n += 1) paused.refused(connection);
      expect(connection.isRead).toBe(true);
      await sleep(30);
    }
  });

  it("do not include closed ones", () => {
    const paused = createPausedConnections();
    const closed = { ...createFakeSocket(), destroyed: true, pause: () => expect.unreachable() };
    for (let n = 0; n < count; n += 1) paused.refused(closed);
  });
});
