import type { Budget } from "../limits.ts";
import type { XmlElement } from "../xml/tree.ts";
import { ArchiveProblem } from "./archive.ts";
import type { Archive } from "./archive.ts";
import { readRelations } from "./parts.ts";

/** Returns the bytes of a picture in the archive; undefined if it is missing, or beyond a limit, which the budget records. */
export function unpackPicture(archive: Archive, name: string, budget: Budget): Uint8Array | undefined {
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
export function isHiddenDrawing(drawing: XmlElement): boolean {
  return (
    drawing.children.some(({ name, attributes }) => name === "docPr" && isTrue(attributes["hidden"])) ||
    isMarkedHidden(drawing)
  );
}

/** Whether the properties of a shape, a picture or a group of DrawingML say that it is hidden. */
export function isMarkedHidden({ children }: XmlElement): boolean {
  return children.some(
    (child) =>
      /^nv\w*Pr$/.test(child.name) &&
      child.children.some(({ name, attributes }) => name === "cNvPr" && isTrue(attributes["hidden"])),
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
