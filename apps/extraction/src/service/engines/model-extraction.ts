import { EngineFailure } from "@switchyard/engines";
import type { Engines, EngineUsage } from "@switchyard/engines";
import { Code } from "@connectrpc/connect";
import { getProblemFacts, unlessAborted } from "@switchyard/rpc";
import { addUsage } from "@switchyard/statistics";
import { readAnswer } from "../../domain/engines/language-model/answer/answer.ts";
import type { Question } from "../../domain/engines/engine.ts";
import type { Extractor } from "../extractions/extractor.ts";
import type { PageImages } from "../files/page-images.ts";
import type { FileRecord } from "../../store/files.ts";
import { chooseEngine } from "./choice.ts";
import type { ChosenEngine } from "./choice.ts";
import type { AttemptResult, ExtractionSubject, FileExtraction, TextExtraction } from "./extraction.ts";
import type { Teaching } from "./teaching.ts";

/** What {@link createModelExtraction} needs. */
export interface ModelExtractionDependencies {
  engines: Pick<Engines, "find" | "ask">;
  extractor: Pick<Extractor, "extract" | "prepare">;
  teaching: Teaching;
  getPageImage: PageImages;
  /** How long the questions about a document may take, in milliseconds. */
  timeoutMs: number;
}

/** The number of questions about a document that are asked at the same time. */
const questionsAtOnce = 2;
/** The width of pictures, in pixels: what people can read, and no more than endpoints look at. */
const pictureWidth = 1_200;

/**
 * Creates the extraction by language models. Values are only those that the answers give and the document supports; a failure of the engine fails
 * the extraction with its code, and no other engine steps in.
 */
export function createModelExtraction(dependencies: ModelExtractionDependencies): TextExtraction {
  const { engines, extractor, teaching, getPageImage, timeoutMs } = dependencies;

  async function extract(subject: ExtractionSubject, text: Uint8Array, signal: AbortSignal): Promise<FileExtraction> {
    const { configuration, file } = subject;
    const chosen = chooseEngine(configuration, file.organizationId, engines);
    const { knowledge: learned, leftOut, ...taught } = await teaching.find(subject, chosen, text, signal);
    const startedAt = performance.now();
    const end = (result: AttemptResult) => ({ result, leftOut, extractMs: performance.now() - startedAt });
    const contextTokens = engines.find(file.organizationId, chosen.name)?.contextTokens;
    const knowledge = { examples: [], calibration: null, ...learned, contextTokens };
    const work = { engine: "language-model", knowledge } as const;
    const prepared = await unlessAborted(extractor.prepare(text, configuration, work), signal);
    if ("failure" in prepared) return end({ again: prepared.failure, cause: prepared.cause });
    const asked = await ask(chosen, subject, prepared.questions, signal);
    const { usage } = asked;
    if ("failure" in asked) return end({ outcome: { error: asked.failure, usage } });
    const answered = { ...work, answers: asked.answers };
    const result = await unlessAborted(extractor.extract(text, configuration, answered), signal);
    if ("failure" in result) return end({ again: result.failure, cause: result.cause });
    const { name, modelName } = chosen;
    return end({ outcome: { ...result, engine: { name, modelName, ...taught }, usage } });
  }

  /** Asks all questions about a document. The first failure ends the others. */
  async function ask(
    chosen: ChosenEngine,
    subject: ExtractionSubject,
    questions: readonly Question[],
    outer: AbortSignal,
  ) {
    const failing = new AbortController();
    const signal = AbortSignal.any([outer, failing.signal]);
    const deadline = Date.now() + timeoutMs;
    const answers: unknown[] = [];
    const used = new Set<EngineUsage>();
    const remaining = questions.entries();
    let failure: EngineFailure | undefined;

    const work = async (): Promise<void> => {
      for (const [index, question] of remaining) {
        const { answer, usage } = await askOne(chosen, subject, question, signal, deadline);
        answers[index] = answer;
        used.add(usage);
      }
    };
    const workers = Array.from({ length: questionsAtOnce }, () =>
      work().catch((error: unknown) => {
        if (error instanceof EngineFailure) used.add(error.usage);
        if (!failing.signal.aborted && error instanceof EngineFailure) failure = error;
        failing.abort(error);
      }),
    );
    await Promise.all(workers);
    const usage = addUsage(used) ?? { inputTokens: 0, outputTokens: 0, cost: null };
    if (failure !== undefined) return { failure: { code: failure.code, message: failure.message }, usage };
    signal.throwIfAborted();
    return { answers, usage };
  }

  async function askOne(
    { name, modelName }: ChosenEngine,
    { file, configuration }: ExtractionSubject,
    { poorPages, ...question }: Question,
    signal: AbortSignal,
    deadline: number,
  ) {
    const { organizationId } = file;
    const takesPictures = engines.find(organizationId, name)?.images === true;
    const pictures = takesPictures ? await drawPages(file, poorPages, signal) : [];
    return engines.ask({
      organizationId,
      engine: name,
      modelName,
      temperature: configuration.extractionSettings?.temperature ?? null,
      question: { ...question, ...(pictures.length > 0 && { pictures }) },
      accept(answer) {
        if (readAnswer(answer, configuration) === undefined) throw new Error("The answer has not the required form.");
        return answer;
      },
      timeoutMs: Math.max(0, deadline - Date.now()),
      signal,
    });
  }

  /** Draws pages. Those of which there are no pictures are left out. */
  async function drawPages(file: FileRecord, pages: readonly number[], signal: AbortSignal): Promise<Uint8Array[]> {
    const pictures: Uint8Array[] = [];
    for (const number of pages) {
      try {
        pictures.push(await getPageImage(file, { number, width: pictureWidth }, signal));
      } catch (error) {
        if (getProblemFacts(error).code !== Code.InvalidArgument) throw error;
      }
    }
    return pictures;
  }

  return extract;
}
