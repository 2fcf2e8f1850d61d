import type { IncomingMessage } from "node:http";
import { problemHeaders, problemOf } from "@switchyard/rest";
import { factsOf } from "@switchyard/rpc";
import { declaredLength, hasBody, type Exchange } from "./exchange.ts";

// A body that is not read to its end keeps the connection only when the rest is small; else it is read and thrown away for a
// moment, so that the client, still sending, gets to see its answer (a socket closed with unread bytes is reset).
const smallBody = 1024 * 1024;
const lingerMs = 2_000;

/** Sends a whole answer. Does nothing when the client is gone or has an answer already. */
export async function sendAnswer(
  exchange: Exchange,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<void> {
  const { request, response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(body ?? "");
  const all: Record<string, string> = { ...headers };
  if (status !== 204) all["content-length"] = String(bytes.length);
  if (!isUnread(request)) {
    response.writeHead(status, all);
    response.end(bytes);
    // What is left of a small body is read and thrown away, or the next request of the connection would wait behind it.
    // A reader that stopped early still listens, and a stream with such a listener does not flow.
    if (!request.complete) request.removeAllListeners("readable").resume();
    return;
  }
  response.writeHead(status, { ...all, connection: "close" });
  response.write(bytes);
  await drain(request);
  response.end();
}

/** Answers with the problem of an error; what it may tell is decided by @switchyard/rest. Returns the status. */
export async function sendProblem(
  exchange: Exchange,
  error: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const facts = factsOf(error);
  const problem = problemOf(facts, { instance: exchange.path, requestId: exchange.requestId });
  await sendAnswer(
    exchange,
    problem.status,
    { ...problemHeaders(problem.status, facts.retryAfterSeconds), ...headers },
    JSON.stringify(problem),
  );
  return problem.status;
}

function isUnread(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false;
  return request.headers["transfer-encoding"] !== undefined || declaredLength(request) > smallBody;
}

function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once("end", done).once("close", done).once("error", done);
    request.resume();
  });
}
