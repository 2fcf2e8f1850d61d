#!/usr/bin/env node
// Plain JavaScript, so that it can say what is wrong on a Node that cannot read the sources. The package that others install has
// none of this: build.ts bundles it.
const [major] = process.versions.node.split(".").map(Number);
if (major < 24) {
  console.error(`From its sources, switchyard needs Node 24 or later; this is ${process.version}.`);
  process.exit(1);
}
await import("../src/main.ts");
