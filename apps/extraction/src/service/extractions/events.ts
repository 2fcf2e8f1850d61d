import { ProjectEventKind } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import type { Timeline } from "@switchyard/storage";
import type { ExtractionStore } from "../../store/extractions.ts";
import type { JobStore } from "../../store/jobs.ts";

/** The stores of what happens. */
interface EventStores {
  extractions: Pick<ExtractionStore, "listCreated" | "listEnded">;
  jobs: Pick<JobStore, "listCreated" | "listEnded">;
}

/** Returns the timelines of what happens to the extractions and jobs of a project. */
export function createTimelines({ extractions, jobs }: EventStores): Timeline[] {
  return [
    { kind: ProjectEventKind.EXTRACTION, read: (...query) => extractions.listCreated(...query) },
    { kind: ProjectEventKind.EXTRACTION, read: (...query) => extractions.listEnded(...query) },
    { kind: ProjectEventKind.JOB, read: (...query) => jobs.listCreated(...query) },
    { kind: ProjectEventKind.JOB, read: (...query) => jobs.listEnded(...query) },
  ];
}
