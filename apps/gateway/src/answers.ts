import { problemHeaders, toProblem } from "@switchyard/rest";
import { discardUnread, getProblemFacts, isLargelyUnread } from "@switchyard/rpc";
import type { Exchange } from "./exchange.ts";

/** Sends a whole answer. Does nothing when the client is gone or has an answer already. */
export async function sendAnswer(
  exchange: Exchange,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer | undefined,
): Promise<void> {
  const { request, response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const bytes = body instanceof Buffer ? body : Buffer.from(body ?? "");
  const all: Record<string, string> = { ...headers };
  if (status !== 204) all["content-length"] = String(bytes.length);
  if (!isLargelyUnread(request)) {
    response.writeHead(status, all);
    response.end(bytes);
    // What is left of a small body is read and thrown away, or the next request of the connection would wait behind it.
    // A reader that stopped early still listens, and a stream with such a listener does not flow.
    if (!request.complete) request.removeAllListeners("readable").resume();
    return;
  }
  response.writeHead(status, { ...all, connection: "close" });
  response.write(bytes);
  await discardUnread(request);
  response.end();
}

/** Answers with the problem of an error; what it may tell is decided by @switchyard/rest. Returns the status. */
export async function sendProblem(
  exchange: Exchange,
  error: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const facts = getProblemFacts(error);
  const problem = toProblem(facts, { instance: exchange.path, requestId: exchange.requestId });
  await sendAnswer(
    exchange,
    problem.status,
    { ...problemHeaders(problem.status, facts.retryAfterSeconds), ...headers },
    JSON.stringify(problem),
  );
  return problem.status;
}
