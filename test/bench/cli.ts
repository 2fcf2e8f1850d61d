// Compares how long the command line takes to print its help with an empty Node.js program.
import { spawnSync } from "node:child_process";
import { buildBundle, nodes } from "../cli/bundle.ts";

const times = 15;
/** The maximum ratio of the help to an empty program. */
const bound = 2.5;

/** Prints the medians and their ratio on every available Node.js. Returns whether all ratios are within the limit. */
export async function measure(): Promise<boolean> {
  const bundle = await buildBundle();
  let within = true;
  try {
    for (const node of nodes()) {
      const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
      const bare: number[] = [];
      const help: number[] = [];
      // In turn, so that disturbances affect both.
      for (let time = -2; time < times; time += 1) {
        const durations = [took(node, ["-e", "0"]), took(node, [bundle.file, "--help"])] as const;
        if (time < 0) continue;
        bare.push(durations[0]);
        help.push(durations[1]);
      }
      const ratio = median(help) / median(bare);
      within &&= ratio < bound;
      console.log(
        `${version}: bare ${median(bare).toFixed(0)} ms, --help ${median(help).toFixed(0)} ms, ratio ${ratio.toFixed(2)} (bound ${bound})`,
      );
    }
  } finally {
    await bundle.remove();
  }
  return within;
}

function took(node: string, argv: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(node, [...argv], { stdio: "ignore" });
  if (status !== 0) throw new Error(`${node} ${argv.join(" ")} ended with ${status}`);
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
