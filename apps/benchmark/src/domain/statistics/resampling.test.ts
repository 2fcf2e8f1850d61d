import fc from "fast-check";
import { getPropertySeed } from "@switchyard/matching/testing";
import { addFileNumbers, drawReplicates, createReplicateSums, computeRatioInterval } from "./resampling.ts";

const seed = getPropertySeed();

interface File {
  right: number;
  cells: number;
}

function computeInterval(files: readonly File[], prefix = "file"): { low: number; high: number } {
  const sums = createReplicateSums(2, 2_000);
  files.forEach((file, index) =>
    addFileNumbers(sums, drawReplicates(`${prefix} ${String(index)}`), {
      indexes: [0, 1],
      numbers: [file.right, file.cells],
    }),
  );
  return computeRatioInterval(sums, 0, [1])!;
}

/** The textbook bootstrap, which draws as many files as there are, one by one. */
function computeTextbookInterval(files: readonly File[], random: () => number): { low: number; high: number } {
  const rates = Array.from({ length: 2_000 }, () => {
    const sum = { right: 0, cells: 0 };
    for (let drawn = 0; drawn < files.length; drawn += 1) {
      const file = files[Math.floor(random() * files.length)]!;
      sum.right += file.right;
      sum.cells += file.cells;
    }
    return sum.right / sum.cells;
  }).sort((one, other) => one - other);
  return { low: rates[49]!, high: rates[1949]! };
}

/** Creates the random number generator of Park and Miller. */
function createRandom(start: number): () => number {
  let state = (start % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function createFiles(count: number, random: () => number): File[] {
  return Array.from({ length: count }, () => {
    const cells = 5 + Math.floor(random() * 10);
    const share = random() < 0.3 ? 0.4 : 0.95;
    return { cells, right: Array.from({ length: cells }, random).filter((number) => number < share).length };
  });
}

describe(`resampling (SWITCHYARD_TEST_SEED=${String(seed)})`, () => {
  it("draws a file once on average, with a Poisson distribution, independently of other files", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        const [first, second] = [drawReplicates(one, 1, 20_000), drawReplicates(other, 1, 20_000)];
        const mean = (numbers: Uint8Array, value: (number: number, index: number) => number): number =>
          numbers.reduce((sum, number, index) => sum + value(number, index), 0) / numbers.length;
        // Bounds of more than six standard errors.
        expect(Math.abs(mean(first, (number) => number) - 1)).toBeLessThan(0.045);
        expect(Math.abs(mean(first, (number) => (number === 0 ? 1 : 0)) - Math.exp(-1))).toBeLessThan(0.022);
        expect(Math.abs(mean(first, (number) => (number > 3 ? 1 : 0)) - 0.018_99)).toBeLessThan(0.006);
        expect(Math.abs(mean(first, (number, index) => (number - 1) * (second[index]! - 1)))).toBeLessThan(
          one === other ? 2 : 0.045,
        );
      }),
      { seed, numRuns: 20 },
    );
  });

  it("depends on the seed and the file", () => {
    expect(drawReplicates("a")).toEqual(drawReplicates("a"));
    expect(drawReplicates("a")).not.toEqual(drawReplicates("b"));
    expect(drawReplicates("a", 1)).not.toEqual(drawReplicates("a", 2));
  });

  it.each([40, 200])("has the interval of the textbook bootstrap for %i files", (count) => {
    const random = createRandom(4);
    const files = createFiles(count, random);
    const [own, textbook] = [computeInterval(files), computeTextbookInterval(files, random)];
    const width = textbook.high - textbook.low;
    expect(Math.abs(own.low - textbook.low)).toBeLessThan(width * 0.12);
    expect(Math.abs(own.high - textbook.high)).toBeLessThan(width * 0.12);
  });

  it("has intervals that contain the true rate in about 95 % of runs", () => {
    const random = createRandom(7);
    const truth = 0.3 * 0.4 + 0.7 * 0.95;
    let held = 0;
    for (let run = 0; run < 200; run += 1) {
      const { low, high } = computeInterval(createFiles(80, random), `run ${String(run)}`);
      if (low <= truth && truth <= high) held += 1;
    }
    expect(held).toBeGreaterThanOrEqual(180);
    expect(held).toBeLessThanOrEqual(199);
  });

  it("has no interval without files", () => {
    expect(computeRatioInterval(createReplicateSums(2, 10), 0, [1])).toBeNull();
  });
});
