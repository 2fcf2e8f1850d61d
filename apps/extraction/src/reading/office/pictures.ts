import { maxPicturesUnpacked } from "../limits.ts";
import type { Budget } from "../limits.ts";
import { createPictureReading, isLargePicture } from "../picture.ts";
import type { ReadPage } from "../reading.ts";
import type { XmlElement } from "../xml/tree.ts";
import { ArchiveProblem } from "./archive.ts";
import type { Archive } from "./archive.ts";
import { readRelations } from "./parts.ts";

/** A page, and the names of the pictures in the archive that it shows, in their order. */
export interface IllustratedPage {
  readonly page: ReadPage;
  readonly pictures: () => readonly string[];
}

/**
 * Adds the pictures that pages show as pages of their own, after the page that shows them; the first one of a page without text is that page. Each
 * picture is added once. Those that are small, and those of formats that are not read, are left out. `warnings` says which are damaged.
 */
export function addPictures(
  pages: readonly IllustratedPage[],
  archive: Archive,
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
      const bytes = unpack(archive, name, budget);
      if (bytes === undefined || !isLargePicture(bytes)) continue;
      const reading = createPictureReading({ bytes }, { budget });
      if (reading.problem !== undefined) warnings.push(`picture "${name}" was not read: ${reading.problem.message}`);
      // Without a picture, one of the limits was reached.
      own.push(...reading.pages.filter(({ picture }) => picture !== undefined));
    }
    const [first, ...others] = own;
    if (page.lines.length > 0 || first === undefined) return [page, ...own];
    return [{ ...page, ...first, ...(page.hidden && { hidden: page.hidden }) }, ...others];
  });
  return { pages: added, warnings };
}

function unpack(archive: Archive, name: string, budget: Budget): Uint8Array | undefined {
  try {
    return archive.read(name);
  } catch (error) {
    if (error instanceof ArchiveProblem) budget.recordOmission(`Pictures were left out. ${error.message}`);
    return undefined;
  }
}

/** Finds the references to pictures of Office Open XML in an element, in their order, where `isShown` holds for everything around them. */
export function findReferences(element: XmlElement, isShown: (element: XmlElement) => boolean): string[] {
  return element.children.flatMap((child) => {
    // Drawings are there twice, the second time for older programs.
    if (child.name === "Fallback" || !isShown(child) || isHiddenDrawing(child)) return [];
    const reference =
      child.name === "blip" ? child.attributes["r:embed"] : child.name === "imagedata" ? child.attributes["r:id"] : "";
    return [...(reference ? [reference] : []), ...findReferences(child, isShown)];
  });
}

/** Whether the properties of a drawing, which are in it or in a part of it, say that it is hidden. */
function isHiddenDrawing({ children }: XmlElement): boolean {
  return children.some(
    (child) =>
      (child.name === "docPr" && isTrue(child.attributes["hidden"])) ||
      (/^nv\w*Pr$/.test(child.name) &&
        child.children.some(({ name, attributes }) => name === "cNvPr" && isTrue(attributes["hidden"]))),
  );
}

function isTrue(value: string | undefined): boolean {
  return value === "1" || value === "true";
}

/** Returns the names of the parts to which a part of an Office Open XML document refers by these references. */
export function resolveReferences(archive: Archive, part: string, references: readonly string[]): string[] {
  if (references.length === 0) return [];
  const targets = new Map(readRelations(archive, part).map(({ id, target }) => [id, target]));
  return references.flatMap((reference) => targets.get(reference) ?? []);
}
