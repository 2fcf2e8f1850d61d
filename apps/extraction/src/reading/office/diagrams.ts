import type { XmlElement } from "../xml/tree.ts";
import type { Archive } from "./archive.ts";
import { findBelow, readTree } from "./parts.ts";
import { resolveReferences } from "./pictures.ts";

/**
 * Returns the texts of the diagram (SmartArt) to which an element of a slide refers by `relIds`, as the elements that contain their paragraphs, in the
 * order of its model. What is drawn of it is the same in another place, so that a damaged diagram only lacks its text.
 */
export function findDiagramTexts(archive: Archive, part: string, { attributes }: XmlElement): XmlElement[] {
  try {
    const [model] = resolveReferences(archive, part, [attributes["r:dm"] ?? ""]);
    const root = model === undefined ? undefined : readTree(archive, model);
    return root === undefined ? [] : findBelow(root, "t");
  } catch {
    return [];
  }
}
