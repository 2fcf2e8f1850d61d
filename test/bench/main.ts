/**
 * `npm run bench -- NAME...`: measures what must stay cheap. Prints ratios against a floor of the same run, so that the machine and
 * what else it does matter little; a measurement that is out of its bounds, or whose answers are not what they must be, ends with 1.
 */
const measurements = {
  burst: () => import("./burst.ts"),
  classification: () => import("./classification.ts"),
  cli: () => import("./cli.ts"),
  documents: () => import("./documents.ts"),
  listing: () => import("./listing.ts"),
  lists: () => import("./lists.ts"),
  scoring: () => import("./scoring.ts"),
  store: () => import("./store.ts"),
  "time-slices": () => import("./time-slices.ts"),
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
    const { measure } = await measurements[name]();
    if (!(await measure())) process.exitCode = 1;
  }
}
