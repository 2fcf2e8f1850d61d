import { Code, ConnectError } from "@connectrpc/connect";
import { deadlineExceeded } from "../errors.ts";

/**
 * Runs a unary call with a signal of its own, like Connect's `runUnaryCall`, which creates two abort controllers and an error for every
 * call. The signal is aborted when the caller cancels the call (with the caller's reason), and when `timeoutMs` has passed (with
 * DeadlineExceeded). It is not aborted after the call. Throws only ConnectErrors.
 */
export async function runUnary<Response>(
  parent: AbortSignal | undefined,
  timeoutMs: number | undefined,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const controller = new AbortController();
  const { signal } = controller;
  const cancel = (): void => controller.abort(parent?.reason);
  if (parent?.aborted === true) cancel();
  else parent?.addEventListener("abort", cancel, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(deadlineExceeded()), timeoutMs);
  try {
    return await send(signal);
  } catch (error) {
    throw signal.aborted ? ConnectError.from(signal.reason, Code.Canceled) : ConnectError.from(error);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener("abort", cancel);
  }
}
