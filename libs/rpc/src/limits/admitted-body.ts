import type { ByteBudget } from "./byte-budget.ts";

/** A body that takes room in memory while it is read, and after that for as long as what it carried is worked on. */
export interface AdmittedBody {
  readonly bytes: AsyncGenerator<Uint8Array, void>;
  /** Gives the room back. */
  release(): void;
}

/** What a body may be without asking for room: most requests are small, and how many there are at once is bounded. */
export const smallBodyBytes = 64 * 1024;

/**
 * Passes a body on within the budget. One that says its length asks for that before its first byte is read; one that does not asks
 * for `maxBytes`, the most that it may have, once it is more than small. Asking once keeps bodies from waiting for each other. While
 * it waits nothing is read, so that the client waits too. Fails as `ByteBudget.take` does.
 */
export function admittedBody(
  body: AsyncIterable<Uint8Array>,
  { length, maxBytes }: { length: number | undefined; maxBytes: number },
  budget: ByteBudget,
  signal: AbortSignal,
): AdmittedBody {
  let giveBack: (() => void) | undefined;
  let released = false;
  async function ask(bytes: number): Promise<void> {
    giveBack = await budget.take(bytes, signal);
    if (released) giveBack();
  }
  async function* admitted(): AsyncGenerator<Uint8Array, void> {
    if (length !== undefined && length > smallBodyBytes) await ask(Math.min(length, maxBytes));
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (giveBack === undefined && size > smallBodyBytes) await ask(maxBytes);
      yield chunk;
    }
  }
  return {
    bytes: admitted(),
    release() {
      released = true;
      giveBack?.();
    },
  };
}

/** Whether a body is compressed, and so may become much more than its length. */
export function isCompressed(header: Headers): boolean {
  const names = ["content-encoding", "connect-content-encoding", "grpc-encoding"];
  return names.some((name) => (header.get(name) ?? "identity") !== "identity");
}
