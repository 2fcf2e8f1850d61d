import { create, toBinary } from "@bufbuild/protobuf";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedValuesSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { AcceptedRecord, AcceptedStore } from "../../store/accepted.ts";
import type { FileStore } from "../../store/files.ts";
import type { DocumentTextCache } from "../files/text-cache.ts";
import type { Learner } from "./learner.ts";

/** A file that teaches, described for a configuration. */
export interface Lesson {
  readonly id: string;
  readonly sha256: string;
  readonly revision: string;
  readonly issuer: string | null;
  /** The packed examples; undefined if the file has no text to learn from. */
  readonly examples: Uint8Array | undefined;
}

/** The dependencies of reading lessons. */
export interface LessonDependencies {
  accepted: Pick<AcceptedStore, "revision">;
  files: Pick<FileStore, "listOfProject">;
  textCache: Pick<DocumentTextCache, "get">;
  learner: Learner;
}

const batch = 50;

/**
 * Returns the lessons of accepted files, by id. Those of `known` with the same revision are used again; the others are described. Files that
 * were deleted in the meantime are left out.
 */
export async function readLessons(
  { accepted, files, textCache, learner }: LessonDependencies,
  records: readonly AcceptedRecord[],
  known: ReadonlyMap<string, Lesson>,
  configuration: Configuration,
  signal: AbortSignal,
): Promise<Map<string, Lesson>> {
  const lessons = new Map<string, Lesson>();
  const missing: AcceptedRecord[] = [];
  for (const record of records) {
    const lesson = known.get(record.fileId);
    if (lesson?.revision === record.revision) lessons.set(record.fileId, lesson);
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
      const { text, problem } = await textCache.get(file, signal);
      const values = toBinary(AcceptedValuesSchema, create(AcceptedValuesSchema, { tables }));
      const described =
        problem === null
          ? await learner.run({ kind: "describe", id: fileId, text, values, configuration: schema })
          : undefined;
      const { packed: examples, issuer = null } = described ?? {};
      lessons.set(fileId, { id: fileId, sha256: file.sha256, revision, issuer, examples });
    }
  }
  return lessons;
}
