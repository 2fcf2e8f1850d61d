// Loaded into a program with --import: what its main thread worked between two turns of its loop, told to whoever connects to a socket.
import { createServer } from "node:net";
import { isMainThread } from "node:worker_threads";

const resolutionMs = 2;
const socket = process.env["LOOP_WATCH_SOCKET"];

if (isMainThread && socket !== undefined) {
  let longestMs = 0;
  let used = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(used);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    used = process.threadCpuUsage();
  };
  setInterval(look, resolutionMs).unref();
  createServer((connection) => {
    connection.on("error", () => undefined);
    look();
    connection.end(String(longestMs));
    longestMs = 0;
  })
    .listen(socket)
    .unref();
}
