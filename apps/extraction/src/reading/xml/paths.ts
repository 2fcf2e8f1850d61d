import type { XmlElement } from "./tree.ts";

/**
 * Finds the elements at a path below an element, in the order of the document. A path consists of names, separated by slashes. A name may be
 * one of several, separated by bars, and may have a condition in brackets on an attribute or on the text at another path:
 * `Tax/ID|Number[@scheme=VA]`, `Scheme[Type/ID!=VAT]`.
 */
export function findAll(element: XmlElement, path: string): XmlElement[] {
  let found = [element];
  for (const step of splitSteps(path)) {
    const [, names = "", left, operator, right] = /^([^[]+)(?:\[([^=!]+)(!?=)([^\]]*)\])?$/.exec(step) ?? [];
    const allowed = names.split("|");
    found = found.flatMap((each) =>
      each.children.filter(
        (child) =>
          allowed.includes(child.name) &&
          (left === undefined || (getOperand(child, left) === right) === (operator === "=")),
      ),
    );
  }
  return found;
}

/** Finds the first element at a path that has text. */
export function findFirst(element: XmlElement, path: string): XmlElement | undefined {
  return findAll(element, path).find((each) => each.text.trim() !== "");
}

/** Splits a path at its slashes outside of brackets. */
function splitSteps(path: string): readonly string[] {
  return path.match(/(?:[^/[]|\[[^\]]*\])+/g) ?? [];
}

function getOperand(element: XmlElement, operand: string): string {
  if (operand.startsWith("@")) return element.attributes[operand.slice(1)] ?? "";
  return findFirst(element, operand)?.text.trim() ?? "";
}
