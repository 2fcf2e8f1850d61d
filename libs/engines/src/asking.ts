import { answerKey } from "./answer-cache.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { dropUnknownKeys } from "./answers/answer-keys.ts";
import { parseAnswer } from "./answers/answer-text.ts";
import { TimeIsUp, withDeadline } from "./deadline.ts";
import { AttemptFailure } from "./endpoint/attempt-failure.ts";
import { writeRequest } from "./endpoint/messages.ts";
import type { CompletionRequest } from "./endpoint/messages.ts";
import type { EngineDefinition } from "./engine-file.ts";
import type { EngineAnswer, EngineCall } from "./engines.ts";
import { EngineFailure } from "./failure.ts";
import type { EngineFailureCode } from "./failure.ts";
import { startMeter } from "./meter.ts";
import type { Meter } from "./meter.ts";
import { sendWithRetries } from "./retries.ts";
import type { GuardedEndpoint } from "./retries.ts";

/** What {@link createAsking} needs. */
interface AskingOptions {
  readonly definition: EngineDefinition;
  readonly guarded: GuardedEndpoint;
  readonly cache: AnswerCache;
  /** Ends all calls. */
  readonly closing: AbortSignal;
}

/** Creates the function that asks one engine, as `Engines.ask` describes it. */
export function createAsking(
  options: AskingOptions,
): <Answer>(call: EngineCall<Answer>) => Promise<EngineAnswer<Answer>> {
  const { definition } = options;
  return async (call) => {
    const meter = startMeter(definition);
    const model = call.modelName ?? definition.models[0];
    if (model === undefined || !definition.models.includes(model)) {
      throw new EngineFailure(
        "ENGINE_UNREACHABLE",
        `The engine ${definition.name} has no model ${call.modelName} any more.`,
      );
    }
    try {
      return await askModel(options, call, model, meter);
    } catch (error) {
      if (error instanceof AttemptFailure) meter.add(error.tokens);
      throw toFailure(error, definition.name, meter);
    }
  };
}

async function askModel<Answer>(
  { definition, guarded, cache, closing }: AskingOptions,
  call: EngineCall<Answer>,
  model: string,
  meter: Meter,
): Promise<EngineAnswer<Answer>> {
  const { question, temperature, organizationId } = call;
  const { structuredOutput, images } = definition;
  const request = (again: boolean): CompletionRequest =>
    writeRequest(question, { model, temperature, structuredOutput, images, again });
  const key = temperature === 0 ? answerKey(definition.name, question.promptVersion, request(false)) : undefined;
  const known = key === undefined ? undefined : read(await cache.get(organizationId, key), call);
  if (known !== undefined) return { answer: known.answer, usage: meter.read(), modelName: model, cached: true };

  const timeoutMs = call.timeoutMs ?? guarded.timeoutMs;
  const deadline = Date.now() + timeoutMs;
  return withDeadline(timeoutMs, [call.signal, closing], async (signal) => {
    for (const again of [false, true]) {
      const text = await complete(guarded, request(again), deadline, signal, meter);
      const accepted = read(text, call);
      if (text === undefined || accepted === undefined) continue;
      if (key !== undefined) await cache.set(organizationId, key, text);
      return { answer: accepted.answer, usage: meter.read(), modelName: model, cached: false };
    }
    throw new AttemptFailure({ code: "ENGINE_ANSWER_INVALID" });
  });
}

/** Returns the text of an answer, or undefined if there was none that could be used. */
async function complete(
  guarded: GuardedEndpoint,
  request: CompletionRequest,
  deadline: number,
  signal: AbortSignal,
  meter: Meter,
): Promise<string | undefined> {
  try {
    const { text, tokens } = await sendWithRetries(guarded, request, deadline, signal);
    meter.add(tokens);
    return text;
  } catch (error) {
    if (!(error instanceof AttemptFailure) || error.code !== "ENGINE_ANSWER_INVALID") throw error;
    meter.add(error.tokens);
    return undefined;
  }
}

function read<Answer>(
  text: string | undefined,
  { question, accept }: EngineCall<Answer>,
): { answer: Answer } | undefined {
  const parsed = text === undefined ? undefined : parseAnswer(text);
  if (parsed === undefined) return undefined;
  try {
    return { answer: accept(dropUnknownKeys(question.answerSchema, parsed.value)) };
  } catch {
    return undefined;
  }
}

function toFailure(error: unknown, engine: string, meter: Meter): unknown {
  if (error instanceof TimeIsUp)
    return new EngineFailure("ENGINE_TIMEOUT", message("ENGINE_TIMEOUT", engine), meter.read());
  if (!(error instanceof AttemptFailure)) return error;
  return new EngineFailure(error.code, message(error.code, engine), meter.read());
}

function message(code: EngineFailureCode, engine: string): string {
  switch (code) {
    case "ENGINE_UNREACHABLE":
      return `The engine ${engine} cannot be reached, or is busy.`;
    case "ENGINE_TIMEOUT":
      return `The engine ${engine} did not answer in time.`;
    case "ENGINE_REFUSED":
      return `The engine ${engine} refused to answer.`;
    case "ENGINE_ANSWER_INVALID":
      return `The engine ${engine} did not give an answer of the required form.`;
  }
}
