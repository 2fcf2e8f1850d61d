#!/usr/bin/env node
// Plain JavaScript, so that it can say what is wrong on a Node that cannot read the sources.
const [major] = process.versions.node.split(".").map(Number);
if (major < 24) {
  console.error(
    `switchyard-server needs Node 24 or later; this is ${process.version}.\n` +
      "On Linux and Windows `npm ci` brings it: start with `npm start`. Elsewhere install Node 24.",
  );
  process.exit(1);
}
await import("../src/main.ts");
