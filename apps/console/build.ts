/**
 * Builds the console into dist/, which the gateway serves, unless dist/ was built from the same sources. `npm ci` runs this automatically, with
 * --optional: an installation without development dependencies has nothing to build with, so the page says that it is not built, and
 * everything else works.
 */
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const here = import.meta.dirname;
const record = join(here, "dist/sources.sha256");

/** Returns a digest of everything that the build depends on. */
function digestSources(): string {
  const hash = createHash("sha256");
  const sources = ["index.html", "*.ts", "package.json", "src/**/*.*", "../../libs/client/src/**/*.ts"];
  for (const file of [...globSync(sources, { cwd: here }).sort(), "../../package-lock.json"])
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(here, file)))
      .update("\0");
  return hash.digest("hex");
}

function isCurrent(digest: string): boolean {
  try {
    return readFileSync(record, "utf8") === digest;
  } catch {
    return false;
  }
}

try {
  const digest = digestSources();
  if (!isCurrent(digest)) {
    const { build } = await import("vite");
    await build({ configFile: join(here, "vite.config.ts"), logLevel: "error" });
    writeFileSync(record, digest);
  }
} catch (error) {
  process.stderr.write(`The console was not built (${relative(process.cwd(), here)}): ${String(error)}\n`);
  // Installing continues without it, and a build by command fails.
  if (!process.argv.includes("--optional")) process.exitCode = 1;
}
