import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import type { Connections, Waiter } from "../connections/connections.ts";
import type { Connection, OpenedStream } from "../connections/connection.ts";
import { deadlineIn, maxTimerMs } from "../../deadline-header.ts";
import { deadlineExceeded } from "../../errors.ts";
import { isIdempotent } from "../idempotency.ts";
import { abortReason } from "../../streams.ts";
import { readResponse } from "./exchange.ts";
import { type Failure, violation } from "./failure.ts";
import { setAttempt, toRequestHeaders } from "./request-headers.ts";
import { createRetries } from "./retries.ts";

/** The events of a call. */
export interface CallEvents {
  /** Sends the request. Called for each attempt, with its stream. */
  send(stream: ClientHttp2Stream): void;
  /** The response has begun. Not called for a response that consists of a status only. */
  header(header: IncomingHttpHeaders): void;
  message(message: Uint8Array): void;
  /** The call has ended, with an error unless it succeeded. Called exactly once, last. */
  end(trailer: IncomingHttpHeaders, error?: Error): void;
}

/** A call in progress. */
export interface Call {
  /** Ends the call with an error, if it has not ended yet, and tells the server. */
  cancel(error: Error): void;
  /** Forbids further attempts, because the request can no longer be sent again. */
  commit(): void;
}

/**
 * Makes a call in one or more attempts, each on a connection of the channel: waits for a connection, enforces the deadline in the headers,
 * cancels the call when `signal` is aborted, and attempts it again by the rules of `createRetries` until a response has begun.
 */
export function startCall(
  connections: Connections,
  { method, header, signal }: { method: DescMethod; header: Headers; signal: AbortSignal },
  events: CallEvents,
): Call {
  const headers = toRequestHeaders(method, connections.authority, header);
  const retries = createRetries(isIdempotent(method));
  const timeoutMs = deadlineIn(header);
  const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  let current: OpenedStream | undefined;
  let isCommitted = false;
  let hasEnded = false;
  let pause: NodeJS.Timeout | undefined;
  const timer =
    timeoutMs === undefined || timeoutMs > maxTimerMs
      ? undefined
      : setTimeout(() => cancel(deadlineExceeded()), timeoutMs);
  const onAbort = (): void => cancel(abortReason(signal));
  const waiter: Waiter = { again: attempt, fail: ({ error }) => end({}, error) };

  function end(trailer: IncomingHttpHeaders, error?: Error): void {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(timer);
    clearTimeout(pause);
    signal.removeEventListener("abort", onAbort);
    events.end(trailer, error);
  }

  function cancel(error: Error): void {
    if (hasEnded) return;
    connections.stopWaiting(waiter);
    end({}, error);
    current?.stream.close(constants.NGHTTP2_CANCEL);
  }

  function attempt(): void {
    if (hasEnded) return;
    const choice = connections.choose();
    if (choice === "connecting") connections.wait(waiter);
    else if ("open" in choice) begin(choice);
    else fail({}, choice);
  }

  function begin(connection: Connection): void {
    setAttempt(headers, deadline === undefined ? undefined : deadline - performance.now(), retries.count);
    try {
      current = connection.open(headers);
    } catch (error) {
      fail({}, violation("The headers of a call are not valid.", error));
      return;
    }
    // The connection was just lost, and the state of the channel has changed.
    if (current === undefined) {
      attempt();
      return;
    }
    readResponse(current, {
      header(received) {
        isCommitted = true;
        if (!hasEnded) events.header(received);
      },
      message(message) {
        if (!hasEnded) events.message(message);
      },
      end(trailer, failure, isUnprocessed) {
        if (failure === undefined) end(trailer);
        else fail(trailer, failure, isUnprocessed);
      },
    });
    events.send(current.stream);
  }

  function fail(trailer: IncomingHttpHeaders, failure: Failure, isUnprocessed = false): void {
    if (hasEnded) return;
    current = undefined;
    const delayMs = isCommitted ? undefined : retries.next(failure, isUnprocessed);
    if (delayMs === undefined) end(trailer, isLate(failure) ? deadlineExceeded() : failure.error);
    else if (delayMs === 0) attempt();
    else pause = setTimeout(attempt, delayMs);
  }

  /** Whether the server has ended the call because of its deadline, which it can notice before this process does. */
  function isLate({ error }: Failure): boolean {
    return error.code === Code.Canceled && deadline !== undefined && performance.now() >= deadline - 1;
  }

  if (signal.aborted) onAbort();
  else {
    signal.addEventListener("abort", onAbort, { once: true });
    attempt();
  }
  return {
    cancel,
    commit() {
      isCommitted = true;
    },
  };
}
