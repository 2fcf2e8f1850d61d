// Loaded into a program with --import. Reports the maximum processor time of its main thread in one iteration of the event loop to every
// client that connects to a socket.
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { isMainThread } from "node:worker_threads";

const resolutionMs = 2;
const socket = process.env["LOOP_WATCH_SOCKET"];

if (isMainThread && socket !== undefined) {
  let maxMs = 0;
  let used = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(used);
    maxMs = Math.max(maxMs, (user + system) / 1_000);
    used = process.threadCpuUsage();
  };
  setInterval(look, resolutionMs).unref();
  // The server program replaces itself when it starts, which leaves the socket of the first program.
  rmSync(socket, { force: true });
  createServer((connection) => {
    connection.on("error", () => undefined);
    look();
    connection.end(String(maxMs));
    maxMs = 0;
  })
    .listen(socket)
    .unref();
}
