import { Parser } from "htmlparser2";
import { maxNestedElements, maxXmlElements } from "../limits.ts";

/** An element of XML. */
export interface XmlElement {
  /** The name without its prefix. */
  readonly name: string;
  readonly prefix: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: XmlElement | undefined;
  readonly children: XmlElement[];
  /** Its own text, without that of its children. */
  text: string;
  /** Its number among the elements of the same name in its parent, from 1. */
  readonly index: number;
  /** The number of its children by name. */
  readonly counts: Map<string, number>;
}

/** Why XML was not parsed: it has a document type declaration, exceeds a limit, or is not well-formed. */
export type XmlFault = "DTD" | "TOO_DEEP" | "TOO_MANY" | "DAMAGED";

/**
 * Parses XML into a tree. Only the entities of XML itself and numeric ones are known, and nothing is loaded: a document type declaration,
 * which could define others, is a fault. Never throws.
 */
export function parseXml(source: string): { readonly root: XmlElement } | { readonly fault: XmlFault } {
  let root: XmlElement | undefined;
  let current: XmlElement | undefined;
  let fault: XmlFault | undefined;
  let depth = 0;
  let elements = 0;
  let tagEnd = -1;
  const parser = new Parser(
    {
      onopentag(qualified, attributes) {
        if (fault !== undefined) return;
        depth += 1;
        elements += 1;
        if (depth > maxNestedElements) fault = "TOO_DEEP";
        else if (elements > maxXmlElements) fault = "TOO_MANY";
        else if (current === undefined && root !== undefined) fault = "DAMAGED";
        if (fault !== undefined) return;
        tagEnd = parser.endIndex;
        current = addElement(qualified, attributes, current);
        root ??= current;
      },
      onclosetag(_, implied) {
        if (fault !== undefined) return;
        // The parser closes empty elements where their tag ends, and elsewhere those whose end is missing.
        if (current === undefined || (implied && parser.endIndex !== tagEnd)) fault = "DAMAGED";
        depth -= 1;
        current = current?.parent;
      },
      ontext(text) {
        if (current !== undefined) current.text += text;
      },
      onprocessinginstruction(name) {
        if (/^!doctype$/i.test(name)) fault ??= "DTD";
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let start = 0; start < source.length && fault === undefined; start += pieceLength) {
    parser.write(source.slice(start, start + pieceLength));
  }
  if (fault === undefined) parser.end();
  if (fault !== undefined) return { fault };
  return root === undefined ? { fault: "DAMAGED" } : { root };
}

/** After a fault, at most this many characters are still parsed. */
const pieceLength = 4_096;

function addElement(
  qualified: string,
  attributes: Readonly<Record<string, string>>,
  parent: XmlElement | undefined,
): XmlElement {
  const colon = qualified.indexOf(":");
  const name = qualified.slice(colon + 1);
  const index = (parent?.counts.get(name) ?? 0) + 1;
  parent?.counts.set(name, index);
  const prefix = qualified.slice(0, Math.max(0, colon));
  const element = {
    name,
    prefix,
    attributes,
    parent,
    children: [],
    text: "",
    index,
    counts: new Map<string, number>(),
  };
  parent?.children.push(element);
  return element;
}

/** Returns the path of an element, without prefixes: `/Invoice/InvoiceLine[2]/ID`. */
export function getPath(element: XmlElement): string {
  const steps: string[] = [];
  for (let each: XmlElement | undefined = element; each !== undefined; each = each.parent) {
    const alone = (each.parent?.counts.get(each.name) ?? 1) === 1;
    steps.push(alone ? each.name : `${each.name}[${each.index}]`);
  }
  return `/${steps.reverse().join("/")}`;
}

/** Returns the namespace of an element; empty if it has none. */
export function getNamespace(element: XmlElement): string {
  const attribute = element.prefix === "" ? "xmlns" : `xmlns:${element.prefix}`;
  for (let each: XmlElement | undefined = element; each !== undefined; each = each.parent) {
    const namespace = each.attributes[attribute];
    if (namespace !== undefined) return namespace;
  }
  return "";
}
