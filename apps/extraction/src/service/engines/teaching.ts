import { create, toBinary } from "@bufbuild/protobuf";
import { AcceptedValuesSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { LRUCache } from "lru-cache";
import { createHash } from "node:crypto";
import { assignFolds } from "../../domain/accepted/folds.ts";
import { calibrate } from "../../domain/engines/language-model/calibration.ts";
import type { CellOutcome } from "../../domain/engines/language-model/calibration.ts";
import { findOutcomes } from "../../domain/engines/language-model/outcomes.ts";
import {
  computeLikeness,
  SIGNATURE_CHARACTERS,
  toSignature,
} from "../../domain/engines/language-model/question/similarity.ts";
import type { Signature } from "../../domain/engines/language-model/question/similarity.ts";
import { findIssuer } from "../../domain/engines/local/learning/learn.ts";
import { plainText } from "../../reading/index.ts";
import type { AcceptedRecord, AcceptedStore } from "../../store/accepted.ts";
import type { ExtractionStore } from "../../store/extractions.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import { decodeTables } from "../../store/tables.ts";
import type { DocumentTextCache } from "../files/text-cache.ts";
import { mayLearn } from "../learning/learning.ts";
import type { ChosenEngine } from "./choice.ts";
import type { ExtractionSubject } from "./extraction.ts";
import type { PackedKnowledge } from "./knowledge.ts";

/** What accepted files say to a language model about a document. */
export interface Taught {
  readonly knowledge: PackedKnowledge | null;
  /** The version of the engine with what it was taught. */
  readonly version: string;
  /** The number of accepted files from which the examples were chosen. */
  readonly learnedFrom: number;
  /** The files that were not allowed to teach. */
  readonly leftOut: readonly string[];
}

/** Chooses examples for documents from accepted files, and calibrates the confidence of engines on them. */
export interface Teaching {
  find(subject: ExtractionSubject, engine: ChosenEngine, text: Uint8Array, signal: AbortSignal): Promise<Taught>;
}

/** What {@link createTeaching} needs. */
export interface TeachingDependencies {
  accepted: Pick<AcceptedStore, "newest" | "revision">;
  extractions: Pick<ExtractionStore, "findByEngine" | "getTables">;
  files: Pick<FileStore, "listOfProject">;
  textCache: Pick<DocumentTextCache, "get">;
}

/** Of more accepted files, those that were accepted last teach. */
export const maxTaught = 200;
/** The maximum number of examples in a question. */
const maxExamples = 20;

/** An accepted file that may teach. */
interface Teacher {
  readonly record: AcceptedRecord;
  readonly file: FileRecord;
  readonly issuer: string | null;
  readonly signature: Signature;
}

/**
 * Creates the teaching of one process. What it keeps in memory is by the revisions of accepted values: those that were removed are not used
 * any more.
 */
export function createTeaching({ accepted, extractions, files, textCache }: TeachingDependencies): Teaching {
  const described = new LRUCache<string, Pick<Teacher, "issuer" | "signature">>({ max: 5_000 });
  const compared = new LRUCache<string, readonly CellOutcome[]>({ max: 5_000 });

  async function findTeachers(
    { model, configuration }: ExtractionSubject & { model: NonNullable<ExtractionSubject["model"]> },
    signal: AbortSignal,
  ): Promise<Teacher[]> {
    const records = await accepted.newest({ ...model, limit: maxTaught });
    const found = await files.listOfProject(
      model.projectId,
      records.map(({ fileId }) => fileId),
    );
    const byId = new Map(found.map((file) => [file._id, file]));
    const teachers: Teacher[] = [];
    for (const record of records.sort((one, other) => (one.fileId < other.fileId ? -1 : 1))) {
      const file = byId.get(record.fileId);
      const description = file && (await describe(record, file, configuration, signal));
      if (file && description) teachers.push({ record, file, ...description });
    }
    return teachers;
  }

  async function describe(
    record: AcceptedRecord,
    file: FileRecord,
    configuration: Configuration,
    signal: AbortSignal,
  ): Promise<Pick<Teacher, "issuer" | "signature"> | undefined> {
    const key = [record.modelId, record.fileId, record.revision, configuration.schemaId ?? ""].join(" ");
    const known = described.get(key);
    if (known !== undefined) return known;
    const tables = await accepted.revision(record.fileId, record.modelId, record.revision);
    if (tables === null) return undefined;
    const text = await readText(file, signal);
    if (text === undefined) return undefined;
    const primary = configuration.tables.find(({ isPrimary }) => isPrimary)?.slug;
    const values = tables.find(({ slug }) => slug === primary)?.rows[0]?.values ?? {};
    const description = {
      issuer: findIssuer(values, configuration),
      signature: toSignature(plainText(text, { maxCharacters: SIGNATURE_CHARACTERS })),
    };
    described.set(key, description);
    return description;
  }

  /** Returns the text of a file; undefined if it cannot be read now. A document is extracted without the files that could have taught it. */
  async function readText(file: FileRecord, signal: AbortSignal): Promise<Uint8Array | undefined> {
    try {
      return (await textCache.get(file, signal)).text;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /** Loads the examples for a document: the files that are most like it, the nearest first. */
  async function loadExamples(
    teachers: readonly Teacher[],
    text: Uint8Array,
    count: number,
    signal: AbortSignal,
  ): Promise<{ text: Uint8Array; tables: Uint8Array }[]> {
    const own = toSignature(plainText(text, { maxCharacters: SIGNATURE_CHARACTERS }));
    const nearest = teachers
      .map((teacher) => ({ teacher, likeness: computeLikeness(own, teacher.signature) }))
      .sort((one, other) => other.likeness - one.likeness)
      .slice(0, Math.min(count, maxExamples));
    const loaded = [];
    for (const { teacher } of nearest) {
      const { fileId, modelId, revision } = teacher.record;
      const tables = await accepted.revision(fileId, modelId, revision);
      const shown = await readText(teacher.file, signal);
      if (tables !== null && shown !== undefined) loaded.push({ text: shown, tables: encode(tables) });
    }
    return loaded;
  }

  /** Compares what an engine extracted from accepted files before with their accepted values. */
  async function loadOutcomes(
    teachers: readonly Teacher[],
    { model, configuration }: ExtractionSubject & { model: NonNullable<ExtractionSubject["model"]> },
    { name, modelName, version }: ChosenEngine,
  ): Promise<(readonly CellOutcome[])[]> {
    if (modelName === null || teachers.length === 0) return [];
    const fileIds = teachers.map(({ record }) => record.fileId);
    const found = await extractions.findByEngine({ ...model, fileIds, engine: name, modelName });
    const byFile = new Map(teachers.map(({ record }) => [record.fileId, record]));
    const outcomes = [];
    for (const { _id, fileId, engine } of found) {
      const record = byFile.get(fileId);
      // Answers to another prompt say nothing about those to this one.
      if (record === undefined || !`${engine?.version}+`.startsWith(`${version}+`)) continue;
      const key = [_id, record.revision, configuration.schemaId ?? ""].join(" ");
      const known = compared.get(key) ?? (await compare(_id, record, configuration));
      compared.set(key, known);
      outcomes.push(known);
    }
    return outcomes;
  }

  async function compare(
    extractionId: string,
    { fileId, modelId, revision }: AcceptedRecord,
    configuration: Configuration,
  ): Promise<CellOutcome[]> {
    const tables = await extractions.getTables(extractionId);
    const labels = await accepted.revision(fileId, modelId, revision);
    return tables === null || labels === null ? [] : findOutcomes(decodeTables(tables), labels, configuration);
  }

  return {
    async find(subject, engine, text, signal) {
      const { model, configuration, file, crossFitted } = subject;
      const nothing: Taught = { knowledge: null, version: engine.version, learnedFrom: 0, leftOut: [] };
      if (model === null || !mayLearn(configuration)) return nothing;
      const all = await findTeachers({ ...subject, model }, signal);
      const excluded = crossFitted ? findFold(all, file) : findSame(all, file);
      const teachers = all.filter(({ record }) => !excluded.has(record.fileId));
      const leftOut = crossFitted ? [...excluded] : [];
      if (teachers.length === 0) return { ...nothing, leftOut };
      const outcomes = await loadOutcomes(teachers, { ...subject, model }, engine);
      const count = configuration.extractionSettings?.numberOfExamples ?? 0;
      const examples = await loadExamples(teachers, text, count, signal);
      const names = [...teachers.map(({ record }) => `${record.fileId} ${record.revision}`), JSON.stringify(outcomes)];
      return {
        knowledge: { examples, calibration: calibrate(outcomes) },
        version: `${engine.version}+${createHash("sha256").update(names.join("\n")).digest("hex").slice(0, 12)}`,
        learnedFrom: teachers.length,
        leftOut,
      };
    },
  };
}

/** Returns the files of the fold of a file: itself, its copies, and those of the same issuer. */
function findFold(teachers: readonly Teacher[], { _id: id, sha256 }: FileRecord): Set<string> {
  const all = teachers.map(({ record, file, issuer }) => ({ id: record.fileId, sha256: file.sha256, issuer }));
  const own = all.find((each) => each.id === id) ?? { id, sha256, issuer: null };
  const folds = assignFolds([...all.filter((each) => each !== own), own]);
  return new Set(all.map((each) => each.id).filter((each) => folds.get(each) === folds.get(id)));
}

/** Returns a file and its copies, whose accepted values would be the answer. */
function findSame(teachers: readonly Teacher[], { sha256 }: FileRecord): Set<string> {
  return new Set(teachers.filter(({ file }) => file.sha256 === sha256).map(({ record }) => record.fileId));
}

function encode(tables: AcceptedTable[]): Uint8Array {
  return toBinary(AcceptedValuesSchema, create(AcceptedValuesSchema, { tables }));
}
