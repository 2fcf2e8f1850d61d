/** `npm run bench -- NAME...`: how fast parts are, and what they keep; all of them without a name. */
const benches = {
  scoring: () => import("./scoring.ts"),
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
    await benches[name]();
  }
}
