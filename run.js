/**
 * Runs a program of the workspace on Node 24: `node run.js FILE ARGUMENT...`. Plain JavaScript, because the Node of the machine may be too old
 * for the sources; then the program runs on the Node that `npm ci` installed. npm 11 links that to node_modules/.bin, where every script
 * finds it. npm 10 leaves the link out, so it is made here. See docs/decisions/0001-node-from-platform-packages.md.
 */
import { spawn } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const modules = join(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), "node_modules");
const isWindows = process.platform === "win32";
const installed = join(
  modules,
  `node-${isWindows ? "win" : process.platform}-${process.arch}`,
  "bin",
  isWindows ? "node.exe" : "node",
);
const file = resolve(process.argv[2]);

if (Number(process.versions.node.split(".")[0]) >= 24 || !existsSync(installed)) {
  process.argv.splice(1, 2, file);
  await import(pathToFileURL(file).href);
} else {
  link();
  const env = { ...process.env, PATH: [dirname(installed), process.env.PATH].join(delimiter) };
  const child = spawn(installed, [file, ...process.argv.slice(3)], { env, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** Links the installed Node to where npm puts the programs of packages, so that `npx` finds it too. */
function link() {
  const place = join(modules, ".bin", "node");
  if (isWindows || existsSync(place)) return;
  try {
    symlinkSync(relative(dirname(place), installed), place);
  } catch {
    // The folder may be read-only. The program still runs.
  }
}
