/** Loads the measurements that the command line names, or all of them, one after the other, and passes each to `run`. */
export async function runMeasurements<Module>(
  measurements: Readonly<Record<string, () => Promise<Module>>>,
  run: (module: Module) => Promise<void> | void = () => undefined,
): Promise<void> {
  const known = Object.keys(measurements);
  const given = process.argv.slice(2);
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(", ")}; there are ${known.join(", ")}`);
    process.exitCode = 2;
    return;
  }
  for (const name of given.length > 0 ? given : known) {
    console.log(`\n${name}`);
    const module = await measurements[name]?.();
    if (module !== undefined) await run(module);
  }
}
