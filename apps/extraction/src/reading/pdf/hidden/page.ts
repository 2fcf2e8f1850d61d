import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { toMatrix } from "./geometry.ts";
import type { Point } from "./geometry.ts";
import { followOperators } from "./painting.ts";
import type { PaintedPicture, Painting } from "./painting.ts";
import { separateRuns } from "./separation.ts";
import type { SeparatedRuns } from "./separation.ts";
import { findReasons } from "./visibility.ts";
import type { Visibility } from "./visibility.ts";
import type { Run } from "../words.ts";

/** The runs of a page, its hidden text, and whether most of its text is the text layer of a scan. */
export interface SeparatedText extends SeparatedRuns {
  readonly isLayer: boolean;
}

/** Returns what a page paints, without its annotations. */
export async function followPage(pdf: PDFDocumentProxy, page: PDFPageProxy): Promise<Painting> {
  const viewport = page.getViewport({ scale: 1 });
  const { fnArray, argsArray } = await page.getOperatorList();
  const layers = await pdf.getOptionalContentConfig({ intent: "display" });
  const scales = new Map<string, number>();
  return followOperators({
    fnArray,
    argsArray: argsArray as unknown[],
    transform: toMatrix(viewport.transform),
    fontScale(name) {
      const known = scales.get(name) ?? findFontScale(page, name);
      scales.set(name, known);
      return known;
    },
    isDisplayed: (properties) => layers.isVisible(properties) as boolean,
  });
}

/** Separates the text of a page that people can see from its hidden text, by what the page paints. */
export function separateHidden(page: PDFPageProxy, painting: Painting, runs: readonly Run[]): SeparatedText {
  const { width, height } = page.getViewport({ scale: 1 });
  const reasons = findReasons(painting, { width, height, isOpaque: (picture, at) => isOpaque(page, picture, at) });
  const words = painting.words.map((word, index) => {
    const reason = reasons[index];
    return { ...word, reason: reason === "layer" ? undefined : reason };
  });
  const count = (isCounted: (reason: Visibility) => boolean): number =>
    painting.words.reduce((sum, { text }, index) => sum + (isCounted(reasons[index]) ? text.trim().length : 0), 0);
  const isLayer = count((reason) => reason === "layer") > count((reason) => reason === undefined);
  return { ...separateRuns(runs, words, { width, height }), isLayer };
}

function findFontScale(page: PDFPageProxy, name: string): number {
  const font = (page.commonObjs.has(name) ? page.commonObjs.get(name) : undefined) as
    { fontMatrix?: readonly number[] } | undefined;
  return font?.fontMatrix?.[0] ?? 0.001;
}

/** Whether a decoded picture is opaque at a point of the unit square. */
function isOpaque(page: PDFPageProxy, { name }: PaintedPicture, { x, y }: Point): boolean {
  const objects = name.startsWith("g_") ? page.commonObjs : page.objs;
  const found = (objects.has(name) ? objects.get(name) : undefined) as
    { width: number; height: number; kind?: number; data?: Uint8Array | null } | undefined;
  if (!found?.data) return false;
  // Other kinds have no opacity.
  if (found.kind !== rgba) return true;
  const column = Math.min(found.width - 1, Math.max(0, Math.floor(x * found.width)));
  const row = Math.min(found.height - 1, Math.max(0, Math.floor(y * found.height)));
  return found.data[(row * found.width + column) * 4 + 3] === 255;
}

/** The kind of pictures of pdf.js that have opacity. */
const rgba = 3;
