/** Returns the seed of property tests. Set PROPERTY_SEED to repeat a run. */
export function getPropertySeed(): number {
  return Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000);
}
