import type { XmlElement } from "../../xml/tree.ts";

/** Returns a style of a document and those that it is based on; empty for unknown ones. */
export type FindStyles = (id: string) => readonly XmlElement[];

/** The style of paragraphs that name none. */
export const defaultStyle = "Normal";

/** Creates what finds the styles of a document. */
export function createStyles(styles: XmlElement | undefined): FindStyles {
  const byId = new Map((styles?.children ?? []).map((style) => [style.attributes["w:styleId"] ?? "", style]));
  return (id) => {
    const found: XmlElement[] = [];
    for (let style = byId.get(id); style !== undefined && found.length < 10;) {
      found.push(style);
      style = byId.get(getValue(style, "basedOn"));
    }
    return found;
  };
}

/** Returns a child of an element; undefined if there is none. */
export function findChild(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return parent?.children.find((child) => child.name === name);
}

/** Returns the value of a child of an element; empty if there is none. */
export function getValue(parent: XmlElement | undefined, name: string): string {
  return findChild(parent, name)?.attributes["w:val"] ?? "";
}

/** Whether a property is there and not switched off. */
export function isOn(property: XmlElement | undefined): boolean {
  return property !== undefined && !/^(0|false|off)$/.test(property.attributes["w:val"] ?? "");
}
