import { createBands } from "./bands.ts";
import { around, compose, grow, identity, intersect, overlap, toMatrix, transform, unite } from "./geometry.ts";
import type { Bounds, Matrix } from "./geometry.ts";
import { scanOperators, toCode } from "./tokens.ts";
import type { Operands } from "./tokens.ts";

interface State {
  matrix: Matrix;
  fill: Paint | "any";
  mode: number;
  /** The rectangle around what is not cut off. */
  clip: Bounds | undefined;
}

/** The colors that operands may stand for, depending on the color space: red, green and blue from 0 to 1. Undefined for patterns. */
type Paint = readonly (readonly [number, number, number])[] | undefined;

interface Area {
  readonly bounds: Bounds;
  readonly paint: Paint;
}

const black: Paint = [[0, 0, 0]];
/** Colors whose channels differ by no more may look the same. It is more than the difference that makes a text hidden. */
const similar = 0.12;
/** An area that is thinner, in points, is a line and covers no text. */
const lineWidth = 2;
const maxAreas = 5_000;
const maxSaved = 10_000;
/** The corners of the unit square. */
const corners = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
] as const;

/** Gaps in text, and spacing, of more than this may move text out of the page, in thousandths of its size and in points. */
const wide = { gap: 10_000, spacing: 10 };

/** What a PDF contains that content streams refer to. */
export interface Surroundings {
  /** Whether forms paint areas. Their places on pages are not known. */
  readonly areas: boolean;
  /** Whether color spaces may give any color to any number. */
  readonly mixedColors: boolean;
}

/**
 * Whether a content stream may hide text by its color, by covering it, by not drawing it or by its place outside of the page, as far as
 * that shows without fonts and pictures. May be wrong in one direction only: text that is hidden in these ways gives true.
 */
export function mayHideText(
  bytes: Uint8Array,
  { areas: paintsAreas, mixedColors }: Surroundings,
  page: Bounds,
): boolean {
  const saved: State[] = [];
  let state: State = { matrix: identity, fill: black, mode: 0, clip: undefined };
  let textMatrix: Matrix = identity;
  let lineMatrix: Matrix = identity;
  let leading = 0;
  let size = 12;
  let path: Bounds | undefined;
  let pathSteps = 0;
  let advance = 0;
  let behind = 0;
  let shown = false;
  let clips = false;
  let spaced = false;
  let count = 0;
  const areas = createBands<Area>();
  const texts = createBands<Bounds>();

  function endPath(): void {
    if (clips && path !== undefined) state.clip = state.clip === undefined ? path : intersect(state.clip, path);
    clips = false;
    path = undefined;
    pathSteps = 0;
  }

  function setMatrix(matrix: Matrix): void {
    textMatrix = lineMatrix = matrix;
    advance = 0;
    behind = 0;
  }

  function addPoint(x: number, y: number): void {
    const point = transform(state.matrix, x, y);
    path = path === undefined ? around(point.x, point.y) : unite(path, around(point.x, point.y));
    pathSteps += 1;
  }

  function nextLine(x = 0, y = 0): void {
    setMatrix(compose(lineMatrix, [1, 0, 0, 1, x, y]));
  }

  /** Whether an area covers text that is there already. */
  function covers(bounds: Bounds): boolean {
    if (!shown || isThin(bounds)) return false;
    return texts.some(bounds, (text) => overlap(text, bounds));
  }

  /** Whether a text that is shown now may be hidden. */
  function shows(characters: number): boolean {
    if (characters === 0) return false;
    if (state.mode === 3 || state.mode === 7) return true;
    const matrix = compose(state.matrix, textMatrix);
    const along = characters * size;
    const length = along * Math.hypot(matrix[0], matrix[1]);
    const high = Math.hypot(matrix[2], matrix[3]) * size * 0.5;
    // Its beginning, which may be behind other text, and a point near it, as if its letters were as wide as high.
    for (const part of [0, 0.1]) {
      const offset = along * part + behind;
      const point = transform(matrix, offset, 0);
      const at = around(point.x, point.y);
      if (!overlap(at, page) || (state.clip !== undefined && !overlap(grow(at, high), state.clip))) return true;
    }
    const [x, y] = [matrix[4], matrix[5]];
    const upright = Math.abs(matrix[1]) < 0.01 * Math.abs(matrix[0]) && matrix[0] > 0;
    behind += along + characters * wide.spacing * (spaced ? 1 : 0);
    const from = x + advance * (upright ? 0.2 : 0);
    advance += length * 0.7;
    const bounds = upright
      ? { left: from, right: x + advance, top: y, bottom: y + high }
      : { left: x - advance, right: x + advance, top: y - advance, bottom: y + advance };
    texts.add(bounds, bounds);
    shown = true;
    return mergesWithGround(bounds, length * 0.25);
  }

  function mergesWithGround(text: Bounds, width: number): boolean {
    const { fill } = state;
    if (fill === "any") return true;
    if (fill === undefined) return false;
    // The topmost area that certainly is below the whole text decides; those above it may be below a part of it.
    const decided = areas.findLast(text, ({ bounds, paint }) => {
      if (!overlap(text, bounds)) return undefined;
      if (isSimilar(fill, paint)) return true;
      const below = bounds.left <= text.left && bounds.right >= text.left + width;
      return below && bounds.top <= text.top + 1 && bounds.bottom >= text.top ? false : undefined;
    });
    return decided ?? isSimilar(fill, white);
  }

  /** Whether something that is painted covers text; remembers it as the background of later text. */
  function paints(bounds: Bounds, paint: Paint): boolean {
    if (covers(bounds)) return true;
    if (!isThin(bounds)) areas.add(bounds, { bounds, paint });
    return ++count > maxAreas;
  }

  const visitors = new Map<number, (operands: Operands) => boolean | void>();
  const on = (names: string, visit: (operands: Operands) => boolean | void): void => {
    for (const name of names.split(" ")) visitors.set(toCode(name), visit);
  };
  on("q", () => saved.push({ ...state }) > maxSaved);
  on("Q", () => {
    state = saved.pop() ?? state;
  });
  on("cm", ({ numbers }) => {
    state.matrix = compose(state.matrix, toMatrix(numbers));
  });
  on("BT", () => setMatrix(identity));
  on("Tm", ({ numbers }) => setMatrix(toMatrix(numbers)));
  on("Td", ({ numbers }) => nextLine(numbers[0], numbers[1]));
  on("TD", ({ numbers }) => {
    leading = -numbers[1]!;
    nextLine(numbers[0], numbers[1]);
  });
  on("TL", ({ numbers }) => {
    leading = numbers[0]!;
  });
  on("T*", () => nextLine(0, -leading));
  on("Tf", ({ numbers, count }) => {
    size = Math.abs(numbers[count - 1] ?? size);
  });
  on("Tr", ({ numbers }) => {
    state.mode = numbers[0]!;
  });
  on("' \"", ({ characters }) => {
    nextLine(0, -leading);
    return shows(characters);
  });
  on("Tj TJ", ({ characters, largest }) => shows(characters) || (characters > 0 && largest > wide.gap));
  on("Tc Tw", ({ largest }) => {
    spaced ||= largest > 1;
    return largest > wide.spacing;
  });
  on("Ts", ({ largest }) => largest > wide.spacing);
  on("Tz", ({ numbers }) => numbers[0]! < 10);
  on("g", (operands) => {
    state.fill = toPaint(operands, true);
  });
  on("rg k", (operands) => {
    state.fill = toPaint(operands, false);
  });
  on("sc scn", (operands) => {
    // Numbers beyond 1 belong to a space with another scale, or an index.
    const paint = toPaint(operands, false);
    state.fill = paint !== undefined && (mixedColors || operands.largest > 1) ? "any" : paint;
  });
  on("cs", () => {
    state.fill = black;
  });
  on("m l", ({ numbers }) => addPoint(numbers[0]!, numbers[1]!));
  on("c v y", ({ numbers, count }) => {
    for (let at = 0; at + 1 < count; at += 2) addPoint(numbers[at]!, numbers[at + 1]!);
  });
  on("re", ({ numbers: [x = 0, y = 0, width = 0, height = 0] }) => {
    for (const [right, top] of corners) addPoint(x + right * width, y + top * height);
  });
  on("W W*", () => {
    clips = true;
  });
  // Only for a single rectangle is it certain where it is.
  on("f F f* B B* b b*", () => {
    const painted = path;
    const certain = pathSteps <= 5;
    endPath();
    return painted !== undefined && paints(painted, certain && state.fill !== "any" ? state.fill : undefined);
  });
  on("n S s", endPath);
  on("Do", () => (paintsAreas && shown) || covers(unitSquare(state.matrix)));
  on("EI", () => covers(unitSquare(state.matrix)));

  return scanOperators(bytes, (code, operands) => visitors.get(code)?.(operands) === true);
}

function isThin({ left, right, top, bottom }: Bounds): boolean {
  return right - left < lineWidth || bottom - top < lineWidth;
}

function unitSquare(matrix: Matrix): Bounds {
  return corners
    .map(([x, y]) => transform(matrix, x, y))
    .map(({ x, y }) => around(x, y))
    .reduce(unite);
}

const white: Paint = [[1, 1, 1]];

function toPaint({ numbers, count }: Operands, gray: boolean): Paint {
  const components = numbers.subarray(0, count);
  if (count === 0 || components.some(Number.isNaN)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = components.map((component) => Math.min(1, Math.max(0, component)));
  if (count === 1) return gray ? [[a, a, a]] : oneOf(a);
  if (count === 2) return oneOf(1);
  if (count === 3) return [[a, b, c]];
  return [[(1 - a) * (1 - d), (1 - b) * (1 - d), (1 - c) * (1 - d)]];
}

/** Returns the colors of a component that may be a brightness or an amount of ink. */
function oneOf(value: number): Paint {
  return [
    [value, value, value],
    [1 - value, 1 - value, 1 - value],
  ];
}

/** Whether two colors may look the same; anything may look like a color that is not known. */
function isSimilar(one: NonNullable<Paint>, other: Paint): boolean {
  if (other === undefined) return true;
  return one.some((first) =>
    other.some((second) => Math.max(...first.map((channel, at) => Math.abs(channel - second[at]!))) <= similar),
  );
}
