import { spawn } from "node:child_process";

// A process between a `mongod` and the process that wants it: when that one is gone, however it went, its end of the pipe is
// closed, and the server is ended in order. A server left behind would hold the lock of its folder.
const [binary = "", ...args] = process.argv.slice(2);
const child = spawn(binary, args, { stdio: "ignore" });
child.once("error", () => process.exit(127));
child.once("exit", (code) => process.exit(code ?? 1));
process.stdin.resume();
process.stdin.once("close", () => child.kill("SIGTERM"));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill("SIGTERM"));
