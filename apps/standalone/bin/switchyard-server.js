#!/usr/bin/env node
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";

// Plain JavaScript, so that versions of Node that cannot run TypeScript print this error.
const [major] = process.versions.node.split(".").map(Number);
if (major < 24) {
  console.error(
    `switchyard-server needs Node 24 or later; this is ${process.version}.\n` +
      "On Linux and Windows, `npm ci` installs it: start with `npm start`. On other systems, install Node 24.",
  );
  process.exit(1);
}

// Linux's C library reads these settings only when a process starts, so the program replaces itself with a new one in the same process. With
// the defaults, memory is not returned to the system after large uploads or many documents; see decisions 27 and 42. The young generation of
// a thread is kept small for the same reason. V8 gets helper threads for the other processors only, so that they do not take this one from
// requests; see decision 71. What was compiled at an earlier start is loaded, by threads too.
const allocator = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "16384", MALLOC_TRIM_THRESHOLD_: "65536" };
const isSet = Object.keys(allocator).every((name) => process.env[name] !== undefined);
// A process that has a channel to its parent would lose it.
if (process.platform === "linux" && process.execve !== undefined && process.channel === undefined && !isSet) {
  const options = [
    "--max-semi-space-size=8",
    `--v8-pool-size=${Math.min(4, Math.max(1, availableParallelism() - 1))}`,
    `--import=${pathToFileURL(join(import.meta.dirname, "compiled-modules.js"))}`,
  ];
  const argv = [process.execPath, ...options, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, argv, { ...allocator, ...process.env });
}
// Node strips types with WebAssembly in every thread, and V8 can crash when it optimizes the calls of several threads; see decision 28.
setFlagsFromString("--wasm-wrapper-tiering-budget=1000000000");
await import("../src/main.ts");
