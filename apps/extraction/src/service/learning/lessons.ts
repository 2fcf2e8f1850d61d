import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedValuesSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { getProblemFacts } from "@switchyard/rpc";
import type { Logger } from "@switchyard/rpc";
import type { AcceptedRecord, AcceptedStore } from "../../store/accepted.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import type { DocumentTextCache } from "../files/text-cache.ts";
import { getRetryTime } from "./learner.ts";
import type { Learner } from "./learner.ts";
import type { LearnerResult } from "./learner-worker.ts";

/** A file that teaches, described for a configuration. */
export interface Lesson {
  readonly id: string;
  readonly sha256: string;
  readonly revision: string;
  readonly issuer: string | null;
  /** The packed examples; undefined if the file has no text to learn from, or could not be described. */
  readonly examples: Uint8Array | undefined;
  /** The time from which the file is described again, because that failed; else Infinity. */
  readonly retryAt: number;
}

/** The dependencies of reading lessons. */
export interface LessonDependencies {
  accepted: Pick<AcceptedStore, "revision">;
  files: Pick<FileStore, "listOfProject">;
  textCache: Pick<DocumentTextCache, "get">;
  learner: Learner;
  logger: Pick<Logger, "warn">;
  now: () => number;
}

const batch = 50;

/** The lessons of accepted files, by id. If they are not complete, the rest is described when they are read again. */
export interface ReadLessons {
  readonly lessons: Map<string, Lesson>;
  readonly isComplete: boolean;
}

/**
 * Reads the lessons of accepted files. Those of `known` with the same revision are used again, unless they are to be described again; the others
 * are described, at least one, and no more after the time `until`. Files that were deleted in the meantime are left out. Rejects if a text is
 * not available at the moment.
 */
export async function readLessons(
  dependencies: LessonDependencies,
  records: readonly AcceptedRecord[],
  known: ReadonlyMap<string, Lesson>,
  configuration: Configuration,
  { until, signal }: { readonly until: number; readonly signal: AbortSignal },
): Promise<ReadLessons> {
  const { accepted, files, learner, logger, now } = dependencies;
  const lessons = new Map<string, Lesson>();
  const missing: AcceptedRecord[] = [];
  const startedAt = now();
  for (const record of records) {
    const lesson = known.get(record.fileId);
    if (lesson?.revision === record.revision && startedAt < lesson.retryAt) lessons.set(record.fileId, lesson);
    else missing.push(record);
  }
  /** Returns what is known about the records from a place on, which are described later. */
  const findKnown = (from: number): [string, Lesson][] =>
    missing.slice(from).flatMap(({ fileId, revision }) => {
      const lesson = known.get(fileId);
      return lesson?.revision === revision ? [[fileId, lesson]] : [];
    });
  let described = 0;
  const schema = toBinary(ConfigurationSchema, configuration);
  for (let at = 0; at < missing.length; at += batch) {
    const part = missing.slice(at, at + batch);
    const projectId = part[0]?.projectId ?? "";
    const found = await files.listOfProject(
      projectId,
      part.map(({ fileId }) => fileId),
    );
    const byId = new Map(found.map((file) => [file._id, file]));
    for (const [place, { fileId, modelId, revision }] of part.entries()) {
      signal.throwIfAborted();
      if (described > 0 && now() >= until)
        return { lessons: new Map([...lessons, ...findKnown(at + place)]), isComplete: false };
      const file = byId.get(fileId);
      const tables = file && (await accepted.revision(fileId, modelId, revision));
      if (file === undefined || tables == null) continue;
      const text = await readText(dependencies, file, signal);
      const values = toBinary(AcceptedValuesSchema, create(AcceptedValuesSchema, { tables }));
      described += 1;
      const lesson = { id: fileId, sha256: file.sha256, revision, issuer: null, retryAt: Infinity };
      const describedAt = now();
      const result: LearnerResult | undefined =
        text && (await learner.run({ kind: "describe", id: fileId, text, values, configuration: schema }));
      if (result === undefined) lessons.set(fileId, { ...lesson, examples: undefined });
      else if ("error" in result) {
        logger.warn({ modelId, fileId, err: result.error }, "a file could not be described for learning");
        lessons.set(fileId, { ...lesson, examples: undefined, retryAt: getRetryTime(describedAt, now()) });
      } else lessons.set(fileId, { ...lesson, issuer: result.issuer, examples: result.packed });
    }
  }
  return { lessons, isComplete: true };
}

/** Returns the text of a file; undefined if it has none, or none any more because its bytes are damaged or deleted. */
async function readText(
  { textCache }: LessonDependencies,
  file: FileRecord,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    const { text, problem } = await textCache.get(file, signal);
    return problem === null ? text : undefined;
  } catch (error) {
    if ([Code.DataLoss, Code.NotFound].includes(getProblemFacts(error).code)) return undefined;
    throw error;
  }
}
