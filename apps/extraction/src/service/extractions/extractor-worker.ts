import { fromBinary } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { collectGarbageWhenIdle } from "@switchyard/threads";
import { LRUCache } from "lru-cache";
import { parentPort } from "node:worker_threads";
import { engines, furtherEngines } from "../../domain/engines/engines.ts";
import type { Question, Subject } from "../../domain/engines/engine.ts";
import type { ModelKnowledge } from "../../domain/engines/language-model/language-model.ts";
import type { Learned } from "../../domain/engines/local/learning/learn.ts";
import { findReview } from "../../domain/review/review.ts";
import type { Review } from "../../domain/review/review.ts";
import { encodeTables } from "../../store/tables.ts";
import { unpackKnowledge } from "../engines/knowledge.ts";
import type { PackedKnowledge } from "../engines/knowledge.ts";
import { unpack } from "../learning/packing.ts";

/** Work of an engine, with what it knows. What was learned is packed, and its bytes are shared between threads. */
export type EngineWork =
  | { engine: "local"; learned: { version: string; bytes: Uint8Array } | null }
  | { engine: "further"; name: string }
  | { engine: "language-model"; knowledge: PackedKnowledge | null; answers?: readonly unknown[] };

/** A document and the configuration to extract with, both as serialized messages. */
export interface ExtractionJob {
  /** Whether to return the questions that have to be asked, or the values. */
  kind: "prepare" | "extract";
  text: Uint8Array;
  configuration: Uint8Array;
  work: EngineWork;
}

/** The values, with the reason why a person should look at them, or questions, or an error. */
export type ExtractionResult =
  { tables: Uint8Array; review: Review | null } | { questions: readonly Question[] } | { error: string };

const run = createRun();
collectGarbageWhenIdle();
parentPort?.on("message", (job: ExtractionJob) => {
  parentPort?.postMessage({ result: run(job) });
});
parentPort?.postMessage({ ready: true });

/** Creates the function that runs a job. It keeps what was learned last of a few models, unpacked, by version. */
function createRun(): (job: ExtractionJob) => ExtractionResult {
  const unpacked = new LRUCache<string, Learned>({ max: 8 });
  const getLearned = ({ version, bytes }: { version: string; bytes: Uint8Array }): Learned => {
    const known = unpacked.get(version) ?? unpack<Learned>(bytes);
    unpacked.set(version, known);
    return known;
  };

  function extract({ kind, work }: ExtractionJob, document: Omit<Subject<unknown>, "knowledge">): ExtractionResult {
    const { configuration } = document;
    const toResult = (tables: ReturnType<typeof engines.local.extract>) => {
      return { tables: encodeTables(tables), review: findReview(tables, configuration) };
    };
    if (work.engine === "local") {
      const knowledge = work.learned === null ? undefined : getLearned(work.learned);
      return toResult(engines.local.extract({ ...document, knowledge }));
    }
    if (work.engine === "further") {
      const further = furtherEngines.get(work.name);
      if (further === undefined) return { error: `There is no engine ${work.name}.` };
      return toResult(further.extract({ ...document, knowledge: undefined }, []));
    }
    const { engine, knowledge, answers = [] } = work;
    const known: ModelKnowledge | undefined = knowledge === null ? undefined : unpackKnowledge(knowledge);
    const subject = { ...document, knowledge: known };
    if (kind === "prepare") return { questions: engines[engine].prepare(subject) };
    return toResult(engines[engine].extract(subject, answers));
  }

  return (job) => {
    try {
      const configuration = fromBinary(ConfigurationSchema, job.configuration);
      return extract(job, { text: fromBinary(DocumentTextSchema, job.text), configuration });
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
}
