import { Writable } from "node:stream";
import type { DescService } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { createLogger, type Logger } from "../logger.ts";
import { register, type ServiceRegistration } from "../serving/registration.ts";

/** Registers a service with only some of its methods. The others are Unimplemented. */
export function registerSome<S extends DescService>(
  service: S,
  implementation: Partial<ServiceImpl<S>>,
): ServiceRegistration {
  return register(service, implementation as ServiceImpl<S>);
}

/** Creates a logger, and the list of lines that it writes. */
export function recordingLogger(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split("\n").filter(Boolean)) {
        lines.push(JSON.parse(line) as Record<string, unknown>);
      }
      done();
    },
  });
  return { logger: createLogger({ name: "test", level: "debug", destination }), lines };
}

/** Waits until the call of a handler is aborted, and returns the reason. */
export function waitForAbort(context: HandlerContext): Promise<unknown> {
  return new Promise((resolve) => {
    const tell = (): void => resolve(context.signal.reason);
    if (context.signal.aborted) tell();
    else context.signal.addEventListener("abort", tell, { once: true });
  });
}

/** Returns the error of a promise. Throws if it resolves. */
export async function getFailure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("should have failed");
    },
    (error: unknown) => error,
  );
}

/** Returns all items of a stream. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** Creates a stream of the given items. */
export async function* toStream<T>(...items: T[]): AsyncGenerator<T, void> {
  for (const item of items) {
    await Promise.resolve();
    yield item;
  }
}
