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

/**
 * Returns the lessons of accepted files, by id. Those of `known` with the same revision are used again, unless they are to be described again;
 * the others are described. Files that were deleted in the meantime are left out. Rejects if a text is not available at the moment.
 */
export async function readLessons(
  dependencies: LessonDependencies,
  records: readonly AcceptedRecord[],
  known: ReadonlyMap<string, Lesson>,
  configuration: Configuration,
  signal: AbortSignal,
): Promise<Map<string, Lesson>> {
  const { accepted, files, learner, logger, now } = dependencies;
  const lessons = new Map<string, Lesson>();
  const missing: AcceptedRecord[] = [];
  const startedAt = now();
  for (const record of records) {
    const lesson = known.get(record.fileId);
    if (lesson?.revision === record.revision && startedAt < lesson.retryAt) lessons.set(record.fileId, lesson);
    else missing.push(record);
  }
  const schema = toBinary(ConfigurationSchema, configuration);
  for (let at = 0; at < missing.length; at += batch) {
    const part = missing.slice(at, at + batch);
    const projectId = part[0]?.projectId ?? "";
    const found = await files.listOfProject(
      projectId,
      part.map(({ fileId }) => fileId),
    );
    const byId = new Map(found.map((file) => [file._id, file]));
    for (const { fileId, modelId, revision } of part) {
      signal.throwIfAborted();
      const file = byId.get(fileId);
      const tables = file && (await accepted.revision(fileId, modelId, revision));
      if (file === undefined || tables == null) continue;
      const text = await readText(dependencies, file, signal);
      const values = toBinary(AcceptedValuesSchema, create(AcceptedValuesSchema, { tables }));
      const lesson = { id: fileId, sha256: file.sha256, revision, issuer: null, retryAt: Infinity };
      const describedAt = now();
      const described: LearnerResult | undefined =
        text && (await learner.run({ kind: "describe", id: fileId, text, values, configuration: schema }));
      if (described === undefined) lessons.set(fileId, { ...lesson, examples: undefined });
      else if ("error" in described) {
        logger.warn({ modelId, fileId, err: described.error }, "a file could not be described for learning");
        lessons.set(fileId, { ...lesson, examples: undefined, retryAt: getRetryTime(describedAt, now()) });
      } else lessons.set(fileId, { ...lesson, issuer: described.issuer, examples: described.packed });
    }
  }
  return lessons;
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
