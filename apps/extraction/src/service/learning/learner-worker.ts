import { fromBinary } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedValuesSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { lowerPriority } from "@switchyard/threads";
import { parentPort } from "node:worker_threads";
import { findIssuer, learn, toExamples, type FileExamples } from "../../domain/engines/local/learning/learn.ts";
import { pack, unpack } from "./packing.ts";

/** Work of the learner: to describe a file by examples, or to learn from the examples of files. All messages are serialized. */
export type LearnerJob =
  | { kind: "describe"; id: string; text: Uint8Array; values: Uint8Array; configuration: Uint8Array }
  | { kind: "learn"; examples: readonly Uint8Array[] };

/** The packed result of a job. Of a description, it has the issuer of the document if that is known. */
export type LearnerResult = { packed: Uint8Array; issuer: string | null } | { error: string };

// Nobody waits for what is learned as they wait for an extraction.
lowerPriority();
parentPort?.on("message", (job: LearnerJob) => {
  parentPort?.postMessage({ result: run(job) });
});
parentPort?.postMessage({ ready: true });

function run(job: LearnerJob): LearnerResult {
  try {
    if (job.kind === "learn")
      return { packed: pack(learn(job.examples.map((each) => unpack<FileExamples>(each)))), issuer: null };
    const configuration = fromBinary(ConfigurationSchema, job.configuration);
    const primary = configuration.tables.find(({ isPrimary }) => isPrimary)?.slug;
    const { tables } = fromBinary(AcceptedValuesSchema, job.values);
    const values = tables.find(({ slug }) => slug === primary)?.rows[0]?.values ?? {};
    const file = { id: job.id, document: fromBinary(DocumentTextSchema, job.text), values };
    return { packed: pack(toExamples(file, configuration)), issuer: findIssuer(values, configuration) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
