/**
 * Builds the console into dist/, which the gateway serves. `npm ci` runs this by itself, with --optional. An installation without the tools of development
 * has nothing to build with; the page says so then, and everything else works.
 */
import { relative } from "node:path";

const here = import.meta.dirname;

try {
  const { build } = await import("vite");
  await build({ configFile: `${here}/vite.config.ts`, logLevel: "warn" });
} catch (error) {
  process.stderr.write(`The console was not built (${relative(process.cwd(), here)}): ${String(error)}\n`);
  // Installing goes on without it, and a build by command fails.
  if (!process.argv.includes("--optional")) process.exitCode = 1;
}
