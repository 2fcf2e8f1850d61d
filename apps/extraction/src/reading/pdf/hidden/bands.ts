import type { Bounds } from "./geometry.ts";

/** Things on a page by bands of their height. */
export interface Bands<Thing> {
  /** Adds a thing within a rectangle. */
  add(bounds: Bounds, thing: Thing): void;
  /** Whether something holds for one of the things in the bands of a rectangle. */
  some(bounds: Bounds, holds: (thing: Thing) => boolean): boolean;
  /** Returns the first result for the things at the top of an area, from the last to the first. */
  findLast(bounds: Bounds, judge: (thing: Thing) => boolean | undefined): boolean | undefined;
}

const bandHeight = 8;
const maxBands = 256;

/** Creates the bands of a page, without anything in them. */
export function createBands<Thing>(): Bands<Thing> {
  const bands = Array.from({ length: maxBands }, (): Thing[] => []);
  const toBand = (y: number): number => Math.min(maxBands - 1, Math.max(0, Math.floor(y / bandHeight) || 0));
  return {
    add(bounds, thing) {
      for (let at = toBand(bounds.top); at <= toBand(bounds.bottom); at++) bands[at]!.push(thing);
    },
    some(bounds, holds) {
      for (let at = toBand(bounds.top); at <= toBand(bounds.bottom); at++) if (bands[at]!.some(holds)) return true;
      return false;
    },
    findLast(bounds, judge) {
      const band = bands[toBand(bounds.top)]!;
      for (let at = band.length - 1; at >= 0; at--) {
        const result = judge(band[at]!);
        if (result !== undefined) return result;
      }
      return undefined;
    },
  };
}
