import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { readQuestion } from "./question.ts";
import type { ReceivedQuestion } from "./question.ts";

/** What an endpoint does with a question instead of answering it properly. */
export type Misbehavior =
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: string; readonly body?: string }
  /** Never responds. */
  | { readonly kind: "hang" }
  /** Closes the connection in the middle of the response. */
  | { readonly kind: "broken" }
  /** Answers with the first half of the text, and `finish_reason: "length"`. */
  | { readonly kind: "cut" }
  /** Answers with this text. */
  | { readonly kind: "text"; readonly text: string }
  /** Sends this body, with status 200. */
  | { readonly kind: "body"; readonly body: string; readonly contentType?: string }
  | { readonly kind: "refusal" }
  | { readonly kind: "filter" };

/** An endpoint of the OpenAI protocol on this machine, which behaves like real ones. */
export interface TestEndpoint {
  /** Its address with the version: `http://127.0.0.1:PORT/v1`. */
  readonly baseUrl: string;
  /** All questions that arrived, the oldest first. */
  readonly questions: readonly ReceivedQuestion[];
  /** The questions that are being answered now, the largest number of them so far, and those whose client has gone before the answer. */
  readonly counts: { readonly active: number; readonly peak: number; readonly abandoned: number };
  /** Sets what it does with further questions; undefined is to answer them. */
  behave(behavior: ((question: ReceivedQuestion) => Misbehavior | undefined) | undefined): void;
  /** Stops it, and closes all connections. */
  close(): Promise<void>;
}

/** How a test endpoint answers. */
export interface EndpointOptions {
  /** Returns the answer to a question, which is sent as JSON. */
  readonly answer: (question: ReceivedQuestion) => unknown;
  readonly behavior?: (question: ReceivedQuestion) => Misbehavior | undefined;
  /** The key that requests must have; without it any is accepted. */
  readonly key?: string;
  readonly models?: readonly string[];
  /** How long an answer takes, in milliseconds. */
  readonly delayMs?: number;
  /** Whether requests with `response_format: json_schema` are rejected, as by endpoints that do not know it. */
  readonly withoutSchemas?: boolean;
  /** 0, the default, is any free port. */
  readonly port?: number;
}

/** Starts an endpoint for tests. Its usage counts four characters as a token. */
export async function startEndpoint(options: EndpointOptions): Promise<TestEndpoint> {
  const questions: ReceivedQuestion[] = [];
  const counts = { active: 0, peak: 0, abandoned: 0 };
  const state = { behavior: options.behavior };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`) {
      // Real endpoints repeat the key that they reject.
      const message = `Incorrect API key provided: ${request.headers.authorization ?? ""}`;
      return sendJson(response, 401, { error: { message, type: "invalid_request_error", code: "invalid_api_key" } });
    }
    if (request.method === "GET" && request.url === "/v1/models") {
      const data = (options.models ?? ["test-model"]).map((id) => ({ id, object: "model" }));
      return sendJson(response, 200, { object: "list", data });
    }
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
      return sendJson(response, 404, { error: { message: "Not found", type: "invalid_request_error" } });
    }
    const question = readQuestion(await readBody(request), request.headers, questions.length);
    questions.push(question);
    counts.active += 1;
    counts.peak = Math.max(counts.peak, counts.active);
    response.once("close", () => {
      counts.active -= 1;
      if (!response.writableFinished) counts.abandoned += 1;
    });
    if (options.withoutSchemas === true && question.responseFormat === "json_schema") {
      return sendJson(response, 400, { error: { message: "response_format json_schema is not supported" } });
    }
    if (options.delayMs !== undefined) await sleep(options.delayMs);
    await reply(response, question, state.behavior?.(question), options.answer);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      sendJson(response, 500, { error: { message: String(error), type: "server_error" } });
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    questions,
    counts,
    behave: (behavior) => {
      state.behavior = behavior;
    },
    close: () => close(server),
  };
}

async function reply(
  response: ServerResponse,
  question: ReceivedQuestion,
  misbehavior: Misbehavior | undefined,
  answer: EndpointOptions["answer"],
): Promise<void> {
  const proper = async (): Promise<string> => JSON.stringify(await answer(question));
  switch (misbehavior?.kind) {
    case undefined:
      return sendCompletion(response, question, await proper());
    case "status": {
      if (misbehavior.retryAfter !== undefined) response.setHeader("retry-after", misbehavior.retryAfter);
      const message = misbehavior.body ?? "The server is overloaded.";
      return sendJson(response, misbehavior.status, { error: { message, type: "server_error" } });
    }
    case "hang":
      return;
    case "broken": {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id":"chatcmpl-1","choices":[{"index":0,"message":{"role":"assistant","content":"{');
      await sleep(20);
      response.destroy();
      return;
    }
    case "cut": {
      const text = await proper();
      return sendCompletion(response, question, text.slice(0, text.length / 2), { finish_reason: "length" });
    }
    case "text":
      return sendCompletion(response, question, misbehavior.text);
    case "body":
      response.writeHead(200, { "content-type": misbehavior.contentType ?? "application/json" });
      response.end(misbehavior.body);
      return;
    case "refusal":
      return sendCompletion(response, question, null, { refusal: "I am sorry, I cannot help with that." });
    case "filter":
      return sendCompletion(response, question, "", { finish_reason: "content_filter" });
  }
}

function sendCompletion(
  response: ServerResponse,
  question: ReceivedQuestion,
  content: string | null,
  { finish_reason = "stop", refusal = null }: { finish_reason?: string; refusal?: string | null } = {},
): void {
  const prompt_tokens = Math.ceil((question.instructions.length + question.content.length) / 4);
  const completion_tokens = Math.ceil((content?.length ?? 0) / 4);
  sendJson(response, 200, {
    id: `chatcmpl-${question.index}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: question.model,
    choices: [{ index: 0, message: { role: "assistant", content, refusal }, logprobs: null, finish_reason }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
