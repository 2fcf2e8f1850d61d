import { problemHeaders, toProblem } from "@switchyard/rest";
import { discardUnread, getProblemFacts, isLargelyUnread } from "@switchyard/rpc";
import type { Exchange } from "./exchange.ts";

/** Sends a complete response. Does nothing if the client has disconnected or a response was already sent. */
export async function sendResponse(
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
    // The rest of a small body is read and discarded, or the next request on the connection would wait behind it.
    // A reader that stopped early may have left its listener, which would keep the stream paused.
    if (!request.complete) request.removeAllListeners("readable").resume();
    return;
  }
  response.writeHead(status, { ...all, connection: "close" });
  response.write(bytes);
  await discardUnread(request);
  response.end();
}

/** Sends an error as a problem document and returns its status. @switchyard/rest decides what the client may see. */
export async function sendProblem(
  exchange: Exchange,
  error: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const facts = getProblemFacts(error);
  const problem = toProblem(facts, { instance: exchange.path, requestId: exchange.requestId });
  await sendResponse(
    exchange,
    problem.status,
    { ...problemHeaders(problem.status, facts.retryAfterSeconds), ...headers },
    JSON.stringify(problem),
  );
  return problem.status;
}
