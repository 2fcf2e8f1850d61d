import { Writable } from "node:stream";
import type { DescService } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { createLogger, type Logger } from "../logger.ts";
import { register, type ServiceRegistration } from "../serving/registration.ts";

/** Registers a service of which a test needs only some methods; the others are Unimplemented. */
export function registerSome<S extends DescService>(
  service: S,
  implementation: Partial<ServiceImpl<S>>,
): ServiceRegistration {
  return register(service, implementation as ServiceImpl<S>);
}

/** A logger and the lines that it has written. */
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

/** Resolves when the call of a handler has been aborted, with the reason. */
export function waitForAbort(context: HandlerContext): Promise<unknown> {
  return new Promise((resolve) => {
    const tell = (): void => resolve(context.signal.reason);
    if (context.signal.aborted) tell();
    else context.signal.addEventListener("abort", tell, { once: true });
  });
}

/** The error of a promise that must reject. */
export async function getFailure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("should have failed");
    },
    (error: unknown) => error,
  );
}

/** All items of a stream. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** The given items, one after the other. */
export async function* toStream<T>(...items: T[]): AsyncGenerator<T, void> {
  for (const item of items) {
    await Promise.resolve();
    yield item;
  }
}
