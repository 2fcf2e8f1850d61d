#!/usr/bin/env node
// Plain JavaScript, so that versions of Node that cannot run TypeScript print this error. The published package does not contain this
// file: build.ts bundles the sources.
const [major] = process.versions.node.split(".").map(Number);
if (major < 24) {
  console.error(`switchyard needs Node 24 or later to run from its sources; this is ${process.version}.`);
  process.exit(1);
}
await import("../src/main.ts");
