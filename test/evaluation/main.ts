/**
 * `npm run evaluate -- NAME...`: measures the engines on real documents, which are no part of the project: the folder that
 * DOCUMENT_SETS names. Without it every measurement says "skipped".
 */
const measurements = {
  files: () => import("./files.ts"),
  routing: () => import("./routing.ts"),
  extraction: () => import("./extraction.ts"),
  receipts: () => import("./receipts.ts"),
};

type Name = keyof typeof measurements;

const given = process.argv.slice(2);
const unknown = given.filter((name) => !Object.hasOwn(measurements, name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(", ")}; there are ${Object.keys(measurements).join(", ")}`);
  process.exitCode = 2;
} else {
  for (const name of given.length > 0 ? (given as Name[]) : (Object.keys(measurements) as Name[])) {
    console.log(`\n${name}`);
    await measurements[name]();
  }
}
