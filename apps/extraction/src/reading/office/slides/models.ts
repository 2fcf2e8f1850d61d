import type { XmlElement } from "../../xml/tree.ts";
import type { Archive } from "../archive.ts";
import { readRelations, readTree } from "../parts.ts";

/** What a slide inherits from; undefined where there is nothing, or where it is damaged. */
export interface SlideModels {
  readonly layout: XmlElement | undefined;
  readonly master: XmlElement | undefined;
  readonly theme: XmlElement | undefined;
}

/** Creates the function that finds the models of a slide, each of which is read once. */
export function createModelFinder(archive: Archive): (slide: string) => SlideModels {
  const trees = new Map<string, XmlElement | undefined>();
  const relations = new Map<string, ReturnType<typeof readRelations>>();

  function findRelated(part: string, type: string): string {
    if (part === "") return "";
    if (!relations.has(part)) relations.set(part, readOr(() => readRelations(archive, part)) ?? []);
    return relations.get(part)?.find((each) => each.type === type)?.target ?? "";
  }

  function getTree(part: string): XmlElement | undefined {
    if (part === "") return undefined;
    if (!trees.has(part)) {
      trees.set(
        part,
        readOr(() => readTree(archive, part)),
      );
    }
    return trees.get(part);
  }

  return (slide) => {
    const layout = findRelated(slide, "slideLayout");
    const master = findRelated(layout, "slideMaster");
    return { layout: getTree(layout), master: getTree(master), theme: getTree(findRelated(master, "theme")) };
  };
}

/** Slides can be read without their models. */
function readOr<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
