/** Returns the seed of property tests. Set SWITCHYARD_TEST_SEED to repeat a run. */
export function getPropertySeed(): number {
  return Number(process.env["SWITCHYARD_TEST_SEED"] ?? Date.now() % 1_000_000);
}
