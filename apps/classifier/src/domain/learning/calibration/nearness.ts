/** The cosine that is assumed where no route has two texts to compare. */
const ASSUMED_COSINE = 0.2;

/** How near each text is to the texts of the routes, relative to what is typical of a route. */
export interface Nearness {
  /** The number of routes with texts. */
  readonly routes: number;
  /** The typical cosine of a text to the centroid of the other texts of its route, by route. */
  readonly typical: Float64Array;
  /** The relative cosine of each text to the centroid of the other texts of its own route, 0 for a text alone. */
  readonly toOwn: Float64Array;
  /** The highest relative cosine of each text to the centroid of another route. */
  readonly toOthers: Float64Array;
}

/** Measures how near texts are to the centroids of routes, from the products of their vectors. Classes from `routes` on are no routes. */
export function measureNearness(products: Float64Array, classes: readonly number[], routes: number): Nearness {
  const count = classes.length;
  // The products of each text with the sum of each route, and the squared length of the sum.
  const sums = new Float64Array(count * routes);
  for (let index = 0; index < count; index++) {
    for (let other = 0; other < count; other++) {
      const each = classes[other]!;
      if (each < routes) sums[index * routes + each]! += products[index * count + other]!;
    }
  }
  const squares = new Float64Array(routes);
  const sizes = new Float64Array(routes);
  classes.forEach((each, index) => {
    if (each >= routes) return;
    squares[each]! += sums[index * routes + each]!;
    sizes[each]! += 1;
  });
  const own = classes.map((each, index) => {
    if (each >= routes || sizes[each]! < 2) return 0;
    const self = products[index * count + index]!;
    const product = sums[index * routes + each]!;
    return (product - self) / Math.sqrt(Math.max(1e-12, squares[each]! - 2 * product + self));
  });
  const totals = new Float64Array(routes);
  classes.forEach((each, index) => {
    if (each < routes) totals[each]! += own[index]!;
  });
  const measured = Array.from(sizes.keys()).filter((each) => sizes[each]! > 1);
  const mean =
    measured.length === 0
      ? ASSUMED_COSINE
      : measured.reduce((sum, each) => sum + totals[each]! / sizes[each]!, 0) / measured.length;
  // One text more than the typical two or three says little about a route, so its mean moves towards that of all routes.
  const typical = Float64Array.from(sizes, (size, each) =>
    Math.max(0.02, size < 2 ? mean : (totals[each]! + mean) / (size + 1)),
  );
  const toOwn = Float64Array.from(own, (cosine, index) =>
    classes[index]! < routes ? cosine / typical[classes[index]!]! : 0,
  );
  const toOthers = Float64Array.from(classes, (each, index) => {
    let best = 0;
    for (let route = 0; route < routes; route++) {
      if (route === each || squares[route]! <= 0) continue;
      best = Math.max(best, sums[index * routes + route]! / Math.sqrt(squares[route]!) / typical[route]!);
    }
    return best;
  });
  return { routes, typical, toOwn, toOthers };
}
