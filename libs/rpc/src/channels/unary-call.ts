import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type UnaryRequest, type UnaryResponse } from "@connectrpc/connect";
import { deadlineExceeded } from "../errors.ts";

/** The reason of the signals of calls that have ended. Without one, every call would create an error with its stack. */
const callEnded = Object.freeze(new Error("The call has ended"));

/**
 * Starts the signal of a call. It is aborted when `parent` is (with the reason that `toReason` derives from it), after `timeoutMs` (with
 * DeadlineExceeded), and by `end`, which must be called when the call has ended. It need not be called if `parent` was aborted.
 */
export function startCallSignal(
  parent: AbortSignal | undefined,
  toReason: (parent: AbortSignal) => unknown,
  timeoutMs: number | undefined,
): { signal: AbortSignal; end: (reason?: unknown) => void } {
  const controller = new AbortController();
  const expire = (): void => controller.abort(deadlineExceeded());
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
  const end = (reason: unknown = callEnded): void => {
    clearTimeout(timer);
    parent?.removeEventListener("abort", cancel);
    controller.abort(reason);
  };
  const cancel = (): void => end(parent === undefined ? undefined : toReason(parent));
  if (parent?.aborted === true) cancel();
  else parent?.addEventListener("abort", cancel, { once: true });
  return { signal: controller.signal, end };
}

/**
 * Runs a unary call with the interceptors of a client, like Connect's `runUnaryCall`, which creates two abort controllers and an error
 * for every call. The signal of the request is aborted when the caller cancels the call, when `timeoutMs` has passed, and when the call has
 * ended. Throws only ConnectErrors.
 */
export async function runUnary<I extends DescMessage, O extends DescMessage>(call: {
  request: Omit<UnaryRequest<I, O>, "signal" | "message" | "method"> & { method: DescMethodUnary<I, O> };
  message: MessageInitShape<I>;
  interceptors: readonly Interceptor[];
  signal: AbortSignal | undefined;
  timeoutMs: number | undefined;
  next: (request: UnaryRequest<I, O>) => Promise<UnaryResponse<I, O>>;
}): Promise<UnaryResponse<I, O>> {
  const { request, message, interceptors, signal: parent, timeoutMs, next } = call;
  const { signal, end } = startCallSignal(parent, ({ reason }) => reason as unknown, timeoutMs);
  type Send = Parameters<Interceptor>[0];
  const run = interceptors.reduceRight<Send>((inner, each) => each(inner), next as unknown as Send);
  try {
    const sent = { ...request, message: create(request.method.input, message), signal };
    return (await run(sent)) as UnaryResponse<I, O>;
  } catch (error) {
    throw signal.aborted ? ConnectError.from(signal.reason, Code.Canceled) : ConnectError.from(error);
  } finally {
    end();
  }
}
