import type { XmlElement } from "../xml/tree.ts";
import type { Archive } from "./archive.ts";
import { findBelow, readTree } from "./parts.ts";
import { findReferences, resolveReferences } from "./pictures.ts";

/** Whether the row or the column of a cell is hidden. Both count from 0. */
export type IsHiddenPlace = (row: number, column: number) => boolean;

/** Returns the names of the pictures that a sheet shows: those of its drawing, but none between hidden cells. */
export function findSheetPictures(
  archive: Archive,
  sheet: string,
  drawing: string | undefined,
  isHiddenPlace: IsHiddenPlace,
): string[] {
  const [part] = drawing === undefined ? [] : resolveReferences(archive, sheet, [drawing]);
  const root = part === undefined ? undefined : readTree(archive, part);
  if (part === undefined || root === undefined) return [];
  return resolveReferences(
    archive,
    part,
    findReferences(root, (element) => !isHiddenAnchor(element, isHiddenPlace)),
  );
}

/** Whether a drawing begins and ends in cells of hidden rows or columns, so that it has no size. */
function isHiddenAnchor(anchor: XmlElement, isHiddenPlace: IsHiddenPlace): boolean {
  const places = ["from", "to"].flatMap((end) => anchor.children.filter(({ name }) => name === end));
  return (
    places.length > 0 &&
    places.every((place) => {
      const [row, column] = ["row", "col"].map((name) => Number(findBelow(place, name)[0]?.text));
      return isHiddenPlace(row ?? 0, column ?? 0);
    })
  );
}
