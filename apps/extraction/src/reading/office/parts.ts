import { decodeText } from "../decoding.ts";
import { maxNestedElements, maxXmlElements } from "../limits.ts";
import { parseXml, type XmlElement, type XmlFault } from "../xml/tree.ts";
import { ArchiveProblem, type Archive } from "./archive.ts";

/** Reads the source of a part of a document that is XML; undefined if there is none. */
export function readSource(archive: Archive, name: string): string | undefined {
  const bytes = archive.read(name);
  return bytes && decodeText(bytes).replace(/^\ufeff/, "");
}

/** Reads a part of a document that is XML; undefined if there is none. Throws ArchiveProblem if it cannot be read. */
export function readTree(archive: Archive, name: string): XmlElement | undefined {
  const source = readSource(archive, name);
  if (source === undefined) return undefined;
  const parsed = parseXml(source);
  if ("fault" in parsed) throw toProblem(parsed.fault);
  return parsed.root;
}

/** Converts a fault of XML to a problem of the document. */
export function toProblem(fault: XmlFault): ArchiveProblem {
  return new ArchiveProblem(
    {
      DTD: "The document has a document type declaration.",
      TOO_DEEP: `The document has more than ${maxNestedElements} nested elements.`,
      TOO_MANY: `The document has more than ${maxXmlElements} elements.`,
      DAMAGED: "The document is damaged.",
    }[fault],
  );
}

/** Returns the parts that a part of an Office Open XML document refers to, by the identifiers of the relationships. */
export function readRelations(archive: Archive, part: string): { id: string; type: string; target: string }[] {
  const slash = part.lastIndexOf("/");
  const folder = part.slice(0, slash + 1);
  const relations = readTree(archive, `${folder}_rels/${part.slice(slash + 1)}.rels`);
  return (relations?.children ?? []).flatMap(({ attributes }) => {
    const { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode } = attributes;
    return mode === "External"
      ? []
      : [{ id, type: type.slice(type.lastIndexOf("/") + 1), target: resolve(folder, target) }];
  });
}

/** Returns the name of the main part of an Office Open XML document. */
export function findMainPart(archive: Archive, usual: string): string {
  return readRelations(archive, "").find(({ type }) => type === "officeDocument")?.target ?? usual;
}

/** Resolves the name of a part against a folder, which is empty or ends with a slash. */
function resolve(folder: string, target: string): string {
  const steps: string[] = target.startsWith("/") ? [] : folder.split("/").filter((step) => step !== "");
  for (const step of target.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return steps.join("/");
}

/** Finds all elements of a name below an element, in the order of the document, but not those inside each other. */
export function findBelow(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => (child.name === name ? [child] : findBelow(child, name)));
}
