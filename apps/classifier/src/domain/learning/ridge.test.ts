import { solve } from "./calibration/novelty.ts";
import { fitRidge } from "./ridge.ts";

/** The products of vectors of length 1 in few dimensions, so that all texts have something in common. */
function createProducts(count: number): Float64Array {
  const vectors = Array.from({ length: count }, (_, text) => {
    const raw = [1, 2, 3, 4, 5].map((place) => Math.sin(place * (text + 1)));
    const length = Math.hypot(...raw);
    return raw.map((value) => value / length);
  });
  return Float64Array.from(
    vectors.flatMap((one) => vectors.map((other) => one.reduce((sum, value, place) => sum + value * other[place]!, 0))),
  );
}

describe("the ridge regression", () => {
  const classes = [0, 0, 0, 1, 1, 1, 1, 2, 2];
  const count = classes.length;
  const products = createProducts(count);
  const { leftOut, unknown } = fitRidge(products, classes, 3);
  const balances = [0, 1, 2].map((each) => (classes.filter((own) => own === each).length * 3) / count);

  /** Computes the score of a text for a class by another regression, which learns only from some texts. */
  function refit(text: number, each: number, learned: readonly number[]): number {
    const matrix = learned.map((row) =>
      learned.map((column) => products[row * count + column]! + (row === column ? 0.5 * balances[classes[row]!]! : 0)),
    );
    const coefficients = solve(
      matrix,
      learned.map((index) => (classes[index] === each ? 1 : 0) - 1 / 3),
    );
    return learned.reduce((sum, other, place) => sum + products[text * count + other]! * coefficients[place]!, 0);
  }

  const texts = classes.map((_, index) => index);

  it("tells what a text would score if it were left out", () => {
    for (const text of texts) {
      const others = texts.filter((other) => other !== text);
      for (const each of [0, 1, 2]) expect(leftOut[text * 3 + each]).toBeCloseTo(refit(text, each, others), 9);
    }
  });

  it("tells what a text would score if all texts of its class were left out", () => {
    for (const text of texts) {
      const others = texts.filter((other) => classes[other] !== classes[text]);
      for (const each of [0, 1, 2]) expect(unknown[text * 3 + each]).toBeCloseTo(refit(text, each, others), 9);
    }
  });
});
