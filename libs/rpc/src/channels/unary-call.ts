import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type UnaryRequest, type UnaryResponse } from "@connectrpc/connect";
import { deadlineExceeded } from "../errors.ts";

/**
 * Runs a unary call with the interceptors of a client, like Connect's `runUnaryCall`, which creates two abort controllers and an error
 * for every call. The signal of the request is aborted when the caller cancels the call (with the caller's reason), and when `timeoutMs` has
 * passed (with DeadlineExceeded). It is not aborted after the call. Throws only ConnectErrors.
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
  const controller = new AbortController();
  const { signal } = controller;
  const cancel = (): void => controller.abort(parent?.reason);
  if (parent?.aborted === true) cancel();
  else parent?.addEventListener("abort", cancel, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(deadlineExceeded()), timeoutMs);
  type Send = Parameters<Interceptor>[0];
  const run = interceptors.reduceRight<Send>((inner, each) => each(inner), next as unknown as Send);
  try {
    const sent = { ...request, message: create(request.method.input, message), signal };
    return (await run(sent)) as UnaryResponse<I, O>;
  } catch (error) {
    throw signal.aborted ? ConnectError.from(signal.reason, Code.Canceled) : ConnectError.from(error);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener("abort", cancel);
  }
}
