import { maxPicturesUnpacked } from "./limits.ts";
import type { Budget } from "./limits.ts";
import { createPictureReading, isLargePicture } from "./picture.ts";
import type { ReadPage } from "./reading.ts";

/** A page, and the names of the pictures that it shows, in their order. */
export interface IllustratedPage {
  readonly page: ReadPage;
  readonly pictures: () => readonly string[];
}

/**
 * Adds the pictures that pages show as pages of their own, after the page that shows them; the first one of a page without text is that page. Each
 * picture is added once. Those that are small, and those of formats that are not read, are left out. `unpack` returns the bytes of a picture;
 * undefined if there are none. `warnings` says which are damaged.
 */
export function addPictures(
  pages: readonly IllustratedPage[],
  unpack: (name: string) => Uint8Array | undefined,
  budget: Budget,
): { pages: ReadPage[]; warnings: readonly string[] } {
  const warnings: string[] = [];
  const seen = new Set<string>();
  let unpacked = 0;
  const added = pages.flatMap(({ page, pictures }): ReadPage[] => {
    const shown = pictures().filter((name) => !seen.has(name) && seen.add(name));
    const own: ReadPage[] = [];
    for (const name of shown) {
      if (unpacked === maxPicturesUnpacked) {
        budget.recordTruncation(maxPicturesUnpacked, "pictures");
        break;
      }
      unpacked += 1;
      const bytes = unpack(name);
      if (bytes === undefined || !isLargePicture(bytes)) continue;
      const reading = createPictureReading({ bytes }, { budget });
      if (reading.problem !== undefined) {
        // The name of a picture in an address is the address, with all of its bytes.
        warnings.push(`picture "${name.slice(0, 100)}" was not read: ${reading.problem.message}`);
      }
      // Without a picture, one of the limits was reached.
      own.push(...reading.pages.filter(({ picture }) => picture !== undefined));
    }
    const [first, ...others] = own;
    if (page.lines.length > 0 || first === undefined) return [page, ...own];
    return [{ ...page, ...first, ...(page.hidden && { hidden: page.hidden }) }, ...others];
  });
  return { pages: added, warnings };
}
