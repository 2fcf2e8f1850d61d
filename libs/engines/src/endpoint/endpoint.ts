import type OpenAI from "openai";
import type { APIError } from "openai";
import type { EngineDefinition } from "../engine-file.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import { readCompletion } from "./completion.ts";
import type { Completion } from "./completion.ts";
import { limitBody } from "./body-limit.ts";
import type { CompletionRequest } from "./messages.ts";
import { retryAfterMs } from "./retry-after.ts";

/** An endpoint of the OpenAI protocol. Only this file knows the SDK. */
export interface Endpoint {
  /** Sends one request, without retries. Rejects with an `AttemptFailure`, or with the reason of the signal. */
  complete(request: CompletionRequest, signal: AbortSignal): Promise<Completion>;
  /** Whether the endpoint responds and accepts the key. It does not reject. */
  responds(signal: AbortSignal): Promise<boolean>;
}

/** The maximum number of bytes that are read of a response. No answer about a document is as long. */
const bodyLimit = 8 * 1024 * 1024;

/** Opens the endpoint of an engine. The SDK is loaded with the first request: it takes 0.2 s and 35 MB, and not everyone has an endpoint. */
export function openEndpoint(definition: EngineDefinition): Endpoint {
  let loading: Promise<Client> | undefined;
  const client = (): Promise<Client> =>
    (loading ??= loadClient(definition).catch((error: unknown) => {
      // The next request tries again, for example when files can be opened again.
      loading = undefined;
      throw error;
    }));
  return {
    complete: async (request, signal) => readCompletion(await send(await client(), request, signal)),
    responds: (signal) => responds(definition, signal),
  };
}

interface Client {
  readonly sdk: OpenAI;
  readonly errors: Pick<typeof OpenAI, "APIError">;
}

async function loadClient({ baseUrl, apiKey }: EngineDefinition): Promise<Client> {
  const { default: SDK } = await import("openai");
  const key = apiKey();
  const sdk = new SDK({
    baseURL: baseUrl,
    // The SDK refuses to start without a key, and reads variables of its own for everything that is not given.
    apiKey: key ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
    defaultHeaders: key === undefined ? { Authorization: null } : {},
    fetch: async (input, init) => limitBody(await fetch(input, { ...init, redirect: "error" }), bodyLimit),
  });
  return { sdk, errors: SDK };
}

async function send({ sdk, errors }: Client, request: CompletionRequest, signal: AbortSignal): Promise<unknown> {
  try {
    // The types of the SDK are mutable.
    const body = request as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming;
    return await sdk.chat.completions.create(body, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const failure: unknown = error;
    if (failure instanceof errors.APIError) {
      const { status, headers } = failure as APIError;
      if (status !== undefined) throw statusFailure(status, headers);
    }
    // A body that is not JSON although its header says so.
    if (error instanceof SyntaxError) throw new AttemptFailure({ code: "ENGINE_ANSWER_INVALID" });
    throw new AttemptFailure({ code: "ENGINE_UNREACHABLE", temporary: true, responded: false });
  }
}

function statusFailure(status: number, headers: Headers | undefined): AttemptFailure {
  if (status !== 429 && status < 500) return new AttemptFailure({ code: "ENGINE_REFUSED" });
  return new AttemptFailure({
    code: "ENGINE_UNREACHABLE",
    temporary: true,
    retryAfterMs: retryAfterMs(headers?.get("retry-after") ?? null, Date.now()),
    responded: status === 429,
  });
}

/** Lists the models, which costs nothing. An endpoint without such a list responds with 404 or 405, and is alive too. */
async function responds({ baseUrl, apiKey }: EngineDefinition, signal: AbortSignal): Promise<boolean> {
  const key = apiKey();
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, { headers, signal, redirect: "error" });
    await response.body?.cancel();
    return response.ok || response.status === 404 || response.status === 405;
  } catch {
    return false;
  }
}
