import { OPS } from "pdfjs-dist/legacy/build/pdf.mjs";
import { compose, createRectangle, createShape, identity, toMatrix, toOutlines } from "./geometry.ts";
import type { Matrix, Shape } from "./geometry.ts";
import { showGlyphs } from "./glyphs.ts";
import type { Glyph } from "./glyphs.ts";
import { applyGraphicsState, beginGroup, createState, move, place, setFont, toColor } from "./state.ts";
import type { Color, Cursor, State } from "./state.ts";
import type { Run } from "../words.ts";

/** A word as it is painted. `order` is its place among everything that is painted on the page. */
export interface PaintedWord extends Run {
  readonly order: number;
  /** The colors of its letters; undefined for a pattern or gradient. It is invisible without any. */
  readonly colors: readonly (Color | undefined)[];
  /** How opaque it is, from 0 to 1. */
  readonly alpha: number;
  /** Whether its letters only clip what is painted later. */
  readonly clips: boolean;
  /** Whether it is on a layer that is displayed. */
  readonly displayed: boolean;
  readonly clip: readonly Shape[];
}

/** An area that is painted with a color, or with something else: a picture, a pattern, a gradient. */
export interface PaintedArea {
  readonly order: number;
  readonly shape: Shape;
  readonly clip: readonly Shape[];
  readonly color: Color | undefined;
  /** Whether it hides what is below. A picture hides it where the picture is opaque. */
  readonly opaque: boolean;
  readonly picture?: PaintedPicture;
}

/** A picture on a page: the transformation of the unit square, its name, and its size in pixels. */
export interface PaintedPicture {
  readonly matrix: Matrix;
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** Everything that is painted on a page. */
export interface Painting {
  readonly words: readonly PaintedWord[];
  readonly areas: readonly PaintedArea[];
}

/** The operators of a page, as pdf.js lists them, and what they refer to. */
export interface PageOperators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
  /** The transformation from the coordinates of the PDF to the page as it is displayed. */
  readonly transform: Matrix;
  /** Returns the length of a unit of a font. */
  readonly fontScale: (name: string) => number;
  /** Whether an optional part of the page is displayed. */
  readonly isDisplayed: (properties: unknown) => boolean;
}

/** What is followed of a page, so that hostile pages take bounded time. */
const most = { clips: 16, areas: 20_000 };
/** The operators that fill a path, and whether they count how often a point is enclosed. */
const fills: ReadonlyMap<number, boolean> = new Map([
  [OPS.fill, false],
  [OPS.fillStroke, false],
  [OPS.closeFillStroke, false],
  [OPS.eoFill, true],
  [OPS.eoFillStroke, true],
  [OPS.closeEOFillStroke, true],
]);

interface GroupOptions {
  readonly matrix?: ArrayLike<number> | null;
  readonly bbox?: [number, number, number, number] | null;
  readonly smask?: unknown;
}

/** Follows the operators of a page, and returns the words and areas that they paint. */
export function followOperators(page: PageOperators): Painting {
  const words: PaintedWord[] = [];
  const areas: PaintedArea[] = [];
  const saved: State[] = [];
  const layers: boolean[] = [];
  const cursor: Cursor = { matrix: identity, x: 0, y: 0, lineX: 0, lineY: 0 };
  let state = createState(page.transform);
  let clipsEvenOdd: boolean | undefined;
  /** The number of annotations and masks that contain the operator. Their text is not that of the page. */
  let apart = 0;

  function restore(): void {
    state = saved.pop() ?? state;
  }

  function clip(shape: Shape): void {
    if (state.clip.length < most.clips) state.clip = [...state.clip, shape];
  }

  function addArea(order: number, shape: Shape, paint: Pick<PaintedArea, "color" | "picture">): void {
    if (areas.length >= most.areas || layers.includes(false) || state.fillAlpha * state.group < 0.05) return;
    const opaque = !state.blended && !state.masked && state.fillAlpha * state.group > 0.95;
    areas.push({ ...paint, order, shape, clip: state.clip, color: opaque ? paint.color : undefined, opaque });
  }

  function addPicture(order: number, name: string, width: number, height: number): void {
    const picture = { matrix: state.matrix, name, width, height };
    addArea(order, createRectangle(state.matrix, [0, 0, 1, 1]), { color: undefined, picture });
  }

  function addPath(order: number, operator: number, path: ArrayLike<number> | null | undefined): void {
    const evenOdd = fills.get(operator);
    if (path && (evenOdd ?? clipsEvenOdd) !== undefined) {
      const outlines = toOutlines(path, state.matrix);
      if (evenOdd !== undefined) addArea(order, createShape(outlines, evenOdd), { color: state.fill });
      if (clipsEvenOdd !== undefined) clip(createShape(outlines, clipsEvenOdd));
    }
    clipsEvenOdd = undefined;
  }

  function addWords(order: number, glyphs: readonly Glyph[]): void {
    const runs = showGlyphs(state, cursor, glyphs, page.fontScale(state.font));
    if (apart > 0) return;
    const { mode, fill, stroke, fillAlpha, strokeAlpha, group } = state;
    const [filled, stroked] = [mode % 4 === 0 || mode % 4 === 2, mode % 4 === 1 || mode % 4 === 2];
    const painted = {
      order,
      colors: [...(filled ? [fill] : []), ...(stroked ? [stroke] : [])],
      alpha: Math.max(filled ? fillAlpha : 0, stroked ? strokeAlpha : 0) * group,
      clips: mode === 7,
      displayed: !layers.includes(false),
      clip: state.clip,
    };
    for (const run of runs) words.push({ ...run, ...painted });
  }

  const follow: Readonly<Record<number, (args: readonly unknown[], order: number) => void>> = {
    [OPS.save]: () => saved.push({ ...state }),
    [OPS.restore]: restore,
    [OPS.transform]: (args) => (state.matrix = compose(state.matrix, toMatrix(args as number[]))),
    [OPS.setGState]: ([entries]) => applyGraphicsState(state, entries),
    [OPS.setFillRGBColor]: (args) => (state.fill = toColor(args)),
    [OPS.setFillColorN]: () => (state.fill = undefined),
    [OPS.setFillTransparent]: () => (state.fill = undefined),
    [OPS.setStrokeRGBColor]: (args) => (state.stroke = toColor(args)),
    [OPS.setStrokeColorN]: () => (state.stroke = undefined),
    [OPS.setStrokeTransparent]: () => (state.stroke = undefined),
    [OPS.clip]: () => (clipsEvenOdd = false),
    [OPS.eoClip]: () => (clipsEvenOdd = true),
    [OPS.constructPath]: ([operator, data], order) =>
      addPath(order, Number(operator), (data as (ArrayLike<number> | null)[] | null)?.[0]),
    [OPS.shadingFill]: (_, order) =>
      addArea(order, createRectangle(identity, [-1e6, -1e6, 1e6, 1e6]), { color: undefined }),
    [OPS.paintImageXObject]: ([name, width, height], order) =>
      addPicture(order, String(name), Number(width), Number(height)),
    [OPS.paintInlineImageXObject]: ([image], order) => addPicture(order, "", ...sizeOf(image)),
    [OPS.paintImageMaskXObject]: (_, order) =>
      addArea(order, createRectangle(state.matrix, [0, 0, 1, 1]), { color: undefined, picture: unknownPicture }),
    [OPS.paintFormXObjectBegin]: ([matrix, bounds]) => {
      saved.push({ ...state });
      state.matrix = compose(state.matrix, toMatrix((matrix ?? []) as number[]));
      if (bounds) clip(createRectangle(state.matrix, bounds as [number, number, number, number]));
    },
    [OPS.paintFormXObjectEnd]: restore,
    [OPS.beginGroup]: ([given]) => {
      const { matrix, bbox, smask } = (given ?? {}) as GroupOptions;
      saved.push(state);
      state = beginGroup(state);
      if (bbox) clip(createRectangle(compose(state.matrix, toMatrix(matrix ?? [])), bbox));
      // What a mask paints is not on the page.
      if (smask) layers.push(false);
      if (smask) apart += 1;
    },
    [OPS.endGroup]: ([given]) => {
      const { smask } = (given ?? {}) as GroupOptions;
      if (smask) layers.pop();
      if (smask) apart -= 1;
      restore();
    },
    [OPS.beginAnnotation]: ([, , outer, inner]) => {
      saved.push(state);
      apart += 1;
      const placed = compose(page.transform, toMatrix((outer ?? []) as number[]));
      state = createState(compose(placed, toMatrix((inner ?? []) as number[])));
    },
    [OPS.endAnnotation]: () => {
      apart -= 1;
      restore();
    },
    [OPS.beginMarkedContent]: () => layers.push(true),
    [OPS.beginMarkedContentProps]: ([tag, properties]) => layers.push(tag !== "OC" || page.isDisplayed(properties)),
    [OPS.endMarkedContent]: () => layers.pop(),
    [OPS.beginText]: () => place(cursor),
    [OPS.setTextMatrix]: (args) =>
      place(cursor, (typeof args[0] === "number" ? args : args[0]) as ArrayLike<number> | undefined),
    [OPS.moveText]: ([x, y]) => move(cursor, Number(x), Number(y)),
    [OPS.setLeadingMoveText]: ([x, y]) => {
      state.leading = Number(y);
      move(cursor, Number(x), Number(y));
    },
    [OPS.setLeading]: ([leading]) => (state.leading = -Number(leading)),
    [OPS.nextLine]: () => move(cursor, 0, state.leading),
    [OPS.setFont]: (args) => setFont(state, args),
    [OPS.setCharSpacing]: ([spacing]) => (state.characterSpacing = Number(spacing)),
    [OPS.setWordSpacing]: ([spacing]) => (state.wordSpacing = Number(spacing)),
    [OPS.setHScale]: ([percent]) => (state.scale = Number(percent) / 100),
    [OPS.setTextRise]: ([rise]) => (state.rise = Number(rise)),
    [OPS.setTextRenderingMode]: ([mode]) => (state.mode = Number(mode)),
    [OPS.showText]: ([glyphs], order) => addWords(order, Array.isArray(glyphs) ? (glyphs as Glyph[]) : []),
  };

  page.fnArray.forEach((operator, order) => {
    follow[operator]?.((page.argsArray[order] ?? []) as readonly unknown[], order);
  });
  return { words, areas };
}

const unknownPicture: PaintedPicture = { matrix: identity, name: "", width: 0, height: 0 };

function sizeOf(image: unknown): [width: number, height: number] {
  const { width = 0, height = 0 } = (image ?? {}) as Partial<PaintedPicture>;
  return [width, height];
}
