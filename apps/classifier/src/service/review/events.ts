import { ProjectEventKind } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import type { Timeline } from "@switchyard/storage";
import type { Dependencies } from "../dependencies.ts";

/** Returns the timelines of what happens to the records of a project. */
export function createTimelines({
  classifications,
  reviews,
}: Pick<Dependencies, "classifications" | "reviews">): Timeline[] {
  return [
    { kind: ProjectEventKind.CLASSIFICATION, read: (...query) => classifications.listCreated(...query) },
    { kind: ProjectEventKind.REVIEW, read: (...query) => reviews.listChanged(...query) },
  ];
}
