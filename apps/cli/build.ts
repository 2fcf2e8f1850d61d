/**
 * `npm run build`: dist/ as others install it: one file that runs on Node 20 and later, without dependencies. `npm run package` also
 * makes the tarball.
 */
import { bundle, writePackage } from "@switchyard/packaging";
import { chmod } from "node:fs/promises";
import { join } from "node:path";

const here = import.meta.dirname;
const target = process.argv[2] ?? join(here, "dist");
const outfile = join(target, "switchyard.js");

const manifest = {
  name: "switchyard",
  type: "commonjs",
  bin: { switchyard: "switchyard.js" },
  files: ["switchyard.js", "THIRD-PARTY-NOTICES"],
} as const;

await writePackage(here, target, manifest, async () => {
  const notices = await bundle({
    entryPoints: [join(here, "src/main.ts")],
    outfile,
    platform: "node",
    target: "node20",
    // Loads faster than a module, and asks for Node's own modules only where they are used.
    format: "cjs",
    minify: true,
    legalComments: "none",
    banner: { js: "#!/usr/bin/env node" },
  });
  await chmod(outfile, 0o755);
  return notices;
});
