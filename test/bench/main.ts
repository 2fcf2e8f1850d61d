/**
 * `npm run bench -- NAME...`: how fast parts are, and what they keep; all of them without a name. A measurement that is out of its
 * bounds ends with 1.
 */
const benches = {
  listing: async () => (await import("./listing.ts")).measure(),
  cli: async () => (await import("./cli.ts")).measure(),
  // Measures where it is loaded, and sets the exit code itself.
  scoring: async () => import("./scoring.ts").then(() => true),
};

type Name = keyof typeof benches;

const given = process.argv.slice(2);
const unknown = given.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(", ")}; there are ${Object.keys(benches).join(", ")}`);
  process.exitCode = 2;
} else {
  for (const name of given.length > 0 ? (given as Name[]) : (Object.keys(benches) as Name[])) {
    console.log(`\n${name}`);
    if (!(await benches[name]())) process.exitCode = 1;
  }
}
