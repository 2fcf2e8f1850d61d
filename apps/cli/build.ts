/**
 * Builds the published package in dist/: a program without dependencies that runs on Node 20 and later. `npm run package` also creates the
 * tarball.
 */
import { bundle, writePackage } from "@switchyard/packaging";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const here = import.meta.dirname;
const target = process.argv[2] ?? join(here, "dist");

/** The program begins with this file. From Node 22 on, the compiled bundle is cached in the user's temporary folder, like that of tsc. */
const entry = `#!/usr/bin/env node
require("node:module").enableCompileCache?.();
require("./bundle.js");
`;

const manifest = {
  name: "switchyard",
  type: "commonjs",
  bin: { switchyard: "switchyard.js" },
  files: ["switchyard.js", "bundle.js", "THIRD-PARTY-NOTICES"],
} as const;

await writePackage(here, target, manifest, async () => {
  const notices = await bundle({
    entryPoints: [join(here, "src/main.ts")],
    outfile: join(target, "bundle.js"),
    platform: "node",
    target: "node20",
    // Loads faster than an ES module, and loads the modules of Node.js only where they are used.
    format: "cjs",
    minify: true,
    legalComments: "none",
  });
  await writeFile(join(target, "switchyard.js"), entry, { mode: 0o755 });
  return notices;
});
