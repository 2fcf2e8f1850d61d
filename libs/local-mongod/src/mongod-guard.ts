import { spawn } from "node:child_process";
import { constants } from "node:os";

// This process runs between a `mongod` and the process that started it. When that process ends for any reason, its end of the pipe is
// closed, and the server is shut down properly. Otherwise, the server would keep running and hold the lock of its folder.
const [binary = "", ...args] = process.argv.slice(2);
const child = spawn(binary, args, { stdio: "ignore" });
child.once("error", () => process.exit(127));
child.once("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
process.stdin.resume();
process.stdin.once("close", () => child.kill("SIGTERM"));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill("SIGTERM"));
