/** The typical cosine that is assumed of a class with one text: nothing shows how near others are, so they must have much in common with it. */
const COSINE_OF_ONE = 0.5;

/** How fast texts outside all routes count less with the distance. They have no kind in common, so only documents much like them are meant. */
const OUTSIDE_EXPONENT = 4;

/** A route as far as refutation needs it. */
interface GroupedRoute {
  readonly id: string;
  readonly group?: string | undefined;
}

/**
 * How far labeled texts refute the cold scores of routes without labeled texts. Such a route has no learned scores, but people gave these
 * texts to other routes, however well they fit its name, so it is less likely for documents that are like them.
 */
export interface Refutation {
  /** The IDs of the routes without labeled texts. */
  readonly routeIds: readonly string[];
  /**
   * How far the cold score of each of them is ahead of that of their own route, on average of the texts of each class:
   * `leads[class * routes + route]`.
   */
  readonly leads: Float32Array;
  /** The typical cosine of a text of each class to the centroid of the others. */
  readonly typicalCosines: Float32Array;
  /** The class of the texts outside all routes. */
  readonly outside: number;
}

/** The refutation by labeled texts, and by those that are left when one of them is left out. */
export interface MeasuredRefutation {
  readonly refutation: Refutation;
  /** How near each text is to each class without it: `cosines[text * classes + class]`. */
  readonly cosines: Float64Array;
  /** Returns the refutation without one of the texts. */
  leaveOut(index: number): Refutation;
}

/** What refutation is measured by. Classes beyond those of `classByRoute` are not routes. */
interface RefutationInput {
  readonly texts: readonly { readonly index: number; readonly cold: readonly { readonly score: number }[] }[];
  readonly routes: readonly GroupedRoute[];
  readonly classByRoute: ReadonlyMap<string | null, number>;
  readonly classes: readonly number[];
  readonly classCount: number;
}

/** Measures how far labeled texts refute the cold scores of the routes that have none. `cosines` are those of `measureCosines`. */
export function measureRefutation(
  { texts, routes, classByRoute, classes, classCount }: RefutationInput,
  cosines: Float64Array,
): MeasuredRefutation {
  const groups = routes.map(({ id, group = id }) => group);
  const untaught = [...routes.keys()].filter((place) => !classByRoute.has(routes[place]!.id));
  const routeIds = untaught.map((place) => routes[place]!.id);
  const groupByClass = new Map(routes.map(({ id }, place) => [classByRoute.get(id), groups[place]]));
  const width = untaught.length;
  const sums = new Float64Array(classCount * width);
  const sizes = new Float64Array(classCount);
  const leadsByText = new Map<number, Float64Array>();
  for (const { index, cold } of texts) {
    const own = classes[index]!;
    const ofOwn = cold.reduce(
      (most, { score }, place) => (groups[place] === groupByClass.get(own) ? Math.max(most, score) : most),
      0,
    );
    const ahead = Float64Array.from(untaught, (place) => Math.max(0, cold[place]!.score - ofOwn));
    leadsByText.set(index, ahead);
    sizes[own]! += 1;
    ahead.forEach((lead, place) => (sums[own * width + place]! += lead));
  }
  const leads = Float32Array.from(sums, (sum, cell) => {
    const size = sizes[Math.floor(cell / width)]!;
    return size === 0 ? 0 : sum / size;
  });
  /** Computes the leads anew only for the class of the text: with hundreds of routes, the table is large. */
  const toLeadsWithout = (left: number): Float32Array => {
    const ofText = leadsByText.get(left);
    if (ofText === undefined) return leads;
    const own = classes[left]!;
    const size = sizes[own]!;
    const without = leads.slice();
    ofText.forEach((lead, place) => {
      const cell = own * width + place;
      without[cell] = size < 2 ? 0 : Math.max(0, sums[cell]! - lead) / (size - 1);
    });
    return without;
  };
  const typicalCosines = getTypicalCosines(cosines, classes, classCount);
  return {
    refutation: { routeIds, leads, typicalCosines, outside: classByRoute.size },
    cosines,
    leaveOut: (index) => ({ routeIds, leads: toLeadsWithout(index), typicalCosines, outside: classByRoute.size }),
  };
}

function getTypicalCosines(cosines: Float64Array, classes: readonly number[], classCount: number): Float32Array {
  const sums = new Float64Array(classCount);
  const sizes = new Float64Array(classCount);
  classes.forEach((each, index) => {
    sums[each]! += cosines[index * classCount + each]!;
    sizes[each]! += 1;
  });
  return Float32Array.from(sums, (sum, each) =>
    sizes[each]! < 2 ? COSINE_OF_ONE : Math.max(0.02, sum / sizes[each]!),
  );
}

/**
 * Returns the share of the cold score of each route that is refuted for a document: the nearer it is to texts for which the route was wrong,
 * and the more wrong it was, the more. `getCosine` returns how near the document is to a class.
 */
export function getRefutedShares(
  routes: readonly GroupedRoute[],
  { routeIds, leads, typicalCosines, outside }: Refutation,
  getCosine: (each: number) => number,
): number[] {
  if (routeIds.length === 0) return routes.map(() => 0);
  const placeById = new Map(routeIds.map((id, place) => [id, place]));
  const nearness = Array.from(
    { length: leads.length / routeIds.length },
    (_, each) =>
      Math.min(1, Math.max(0, getCosine(each) / typicalCosines[each]!)) ** (each === outside ? OUTSIDE_EXPONENT : 1),
  );
  return routes.map(({ id }) => {
    const place = placeById.get(id);
    if (place === undefined) return 0;
    return nearness.reduce((most, near, each) => Math.max(most, near * leads[each * routeIds.length + place]!), 0);
  });
}
