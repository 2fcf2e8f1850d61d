import type { XmlElement } from "../../xml/tree.ts";
import { findChild, getValue, isOn } from "./styles.ts";

/** Returns what a field of a form displays, whose value is not a text: the chosen entry of a list, or a box. */
export function readFormField(field: XmlElement): string {
  if (field.name === "ddList") {
    const entries = field.children.filter(({ name }) => name === "listEntry");
    const chosen = Number(getValue(field, "result") || getValue(field, "default"));
    return entries[chosen]?.attributes["w:val"] ?? "";
  }
  return isOn(findChild(field, "checked") ?? findChild(field, "default")) ? "☒" : "☐";
}

/** The boxes, marks and signs in fonts of symbols, by the last two digits of their codes. */
const symbols: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  wingdings: { "6F": "☐", "78": "☒", A7: "•", A8: "☐", FB: "✗", FC: "✓", FD: "☒", FE: "☑" },
  "wingdings 2": { "4F": "✗", "50": "✓", "51": "☒", "52": "☑", "53": "☒", "54": "☒", A3: "☐" },
  symbol: { A2: "′", A3: "≤", B0: "°", B1: "±", B2: "″", B3: "≥", B4: "×", B7: "•", B8: "÷", A0: "€" },
};

/** Returns a character of a font of symbols as it is displayed; empty if it is not known. */
export function readSymbol({ attributes }: XmlElement): string {
  const code = Number.parseInt(attributes["w:char"] ?? "", 16);
  if (!(code > 0 && code <= 0xffff)) return "";
  const known = symbols[(attributes["w:font"] ?? "").toLowerCase()];
  const isOwn = code < 0x100 || (code >= 0xf000 && code <= 0xf0ff);
  if (known !== undefined && isOwn) return known[(code & 0xff).toString(16).toUpperCase()] ?? "";
  return code >= 0xe000 && code <= 0xf8ff ? "" : String.fromCharCode(code);
}
