/**
 * `npm run bench -- NAME...`: measures operations that must stay cheap. Figures are ratios to a baseline of the same run, so they hardly
 * depend on the machine or its load. The exit code is 1 if a figure is out of bounds or a result is wrong.
 */
import { runMeasurements } from "../measurements.ts";

await runMeasurements(
  {
    burst: () => import("./burst.ts"),
    classification: () => import("./classification.ts"),
    classify: () => import("./classify.ts"),
    cli: () => import("./cli.ts"),
    comparison: () => import("./comparison.ts"),
    console: () => import("./console.ts"),
    documents: () => import("./documents.ts"),
    engines: () => import("./engines.ts"),
    gateway: () => import("./gateway.ts"),
    hop: () => import("./hop.ts"),
    idle: () => import("./resources/idle.ts"),
    learning: () => import("./learning.ts"),
    listing: () => import("./listing.ts"),
    lists: () => import("./lists.ts"),
    scoring: () => import("./scoring.ts"),
    store: () => import("./store.ts"),
    memory: () => import("./resources/memory.ts"),
    mixed: () => import("./resources/mixed.ts"),
    overload: () => import("./overload.ts"),
    "time-slices": () => import("./time-slices.ts"),
  },
  async ({ measure }: { measure(): Promise<boolean> }) => {
    if (!(await measure())) process.exitCode = 1;
  },
);
