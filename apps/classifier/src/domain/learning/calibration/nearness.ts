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

/**
 * Measures how near texts are to the centroids of routes. `cosines` are those of `measureCosines`. Of the `classCount` classes, those from
 * `routes` on are not routes.
 */
export function measureNearness(
  cosines: Float64Array,
  classes: readonly number[],
  classCount: number,
  routes: number,
): Nearness {
  const sizes = new Float64Array(routes);
  for (const each of classes) if (each < routes) sizes[each]! += 1;
  const own = classes.map((each, index) => (each < routes ? cosines[index * classCount + each]! : 0));
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
      if (route !== each) best = Math.max(best, cosines[index * classCount + route]! / typical[route]!);
    }
    return best;
  });
  return { routes, typical, toOwn, toOthers };
}
