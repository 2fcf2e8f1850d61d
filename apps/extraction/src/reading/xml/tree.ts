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
  /** The parts of its own text before, between and after its children; undefined without children. */
  pieces: string[] | undefined;
  /** Its number among the elements of the same name in its parent, from 1. */
  readonly index: number;
  /** The number of its children by name; undefined without children. */
  counts: Map<string, number> | undefined;
}

/** Why XML was not parsed: it has a document type declaration, exceeds a limit, or is not well-formed. */
export type XmlFault = "DTD" | "TOO_DEEP" | "TOO_MANY" | "DAMAGED";

/** What is called while XML is scanned. `open` and `text` may return false to stop. Names have no prefixes. */
export interface XmlHandlers {
  open(name: string, attributes: Readonly<Record<string, string>>, prefix: string): boolean | void;
  close(name: string): void;
  text(text: string): void;
}

/**
 * Scans XML from its start to its end, or until a handler stops it. Only the entities of XML itself and numeric ones are known, and nothing is
 * loaded: a document type declaration, which could define others, is a fault. Returns the fault, if there is one. Never throws.
 */
export function scanXml(source: string, handlers: XmlHandlers): XmlFault | undefined {
  let fault: XmlFault | undefined;
  let stopped = false;
  let depth = 0;
  let elements = 0;
  let tagEnd = -1;
  const parser = new Parser(
    {
      onopentag(qualified, attributes) {
        if (fault !== undefined || stopped) return;
        depth += 1;
        elements += 1;
        if (depth > maxNestedElements) fault = "TOO_DEEP";
        else if (elements > maxXmlElements) fault = "TOO_MANY";
        else if (depth === 1 && elements > 1) fault = "DAMAGED";
        if (fault !== undefined) return;
        tagEnd = parser.endIndex;
        const colon = qualified.indexOf(":");
        stopped =
          handlers.open(qualified.slice(colon + 1), attributes, qualified.slice(0, Math.max(0, colon))) === false;
      },
      onclosetag(qualified, implied) {
        if (fault !== undefined || stopped) return;
        // The parser closes empty elements where their tag ends, and elsewhere those whose end is missing.
        if (depth === 0 || (implied && parser.endIndex !== tagEnd)) fault = "DAMAGED";
        depth -= 1;
        handlers.close(qualified.slice(qualified.indexOf(":") + 1));
      },
      ontext(text) {
        if (fault === undefined && !stopped && depth > 0) handlers.text(text);
      },
      onprocessinginstruction(name) {
        if (/^!doctype$/i.test(name)) fault ??= "DTD";
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let start = 0; start < source.length && fault === undefined && !stopped; start += pieceLength) {
    parser.write(source.slice(start, start + pieceLength));
  }
  if (fault === undefined && !stopped) parser.end();
  return fault ?? (elements === 0 ? "DAMAGED" : undefined);
}

/** Parses XML into a tree, as `scanXml` does. Never throws. */
export function parseXml(source: string): { readonly root: XmlElement } | { readonly fault: XmlFault } {
  let root: XmlElement | undefined;
  let current: XmlElement | undefined;
  const fault = scanXml(source, {
    open(name, attributes, prefix) {
      current = addElement(name, attributes, prefix, current);
      root ??= current;
    },
    close() {
      current = current?.parent;
    },
    text(text) {
      if (current === undefined) return;
      current.text += text;
      if (current.pieces !== undefined) current.pieces[current.pieces.length - 1] += text;
    },
  });
  if (fault !== undefined) return { fault };
  return root === undefined ? { fault: "DAMAGED" } : { root };
}

/** After a fault, at most this many characters are still parsed. */
const pieceLength = 4_096;

function addElement(
  name: string,
  attributes: Readonly<Record<string, string>>,
  prefix: string,
  parent: XmlElement | undefined,
): XmlElement {
  const index = (parent?.counts?.get(name) ?? 0) + 1;
  if (parent !== undefined) (parent.counts ??= new Map()).set(name, index);
  const element: XmlElement = {
    name,
    prefix,
    attributes,
    parent,
    children: [],
    text: "",
    pieces: undefined,
    index,
    counts: undefined,
  };
  if (parent !== undefined) {
    parent.pieces ??= [parent.text];
    parent.pieces.push("");
    parent.children.push(element);
  }
  return element;
}

/** Returns the path of an element, without prefixes: `/Invoice/InvoiceLine[2]/ID`. */
export function getPath(element: XmlElement): string {
  const steps: string[] = [];
  for (let each: XmlElement | undefined = element; each !== undefined; each = each.parent) {
    const alone = (each.parent?.counts?.get(each.name) ?? 1) === 1;
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
