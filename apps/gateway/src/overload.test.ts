import { createClient } from "@connectrpc/connect";
import type { ServiceImpl } from "@connectrpc/connect";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createDirectTransport, createLogger, factsOf, invalid, register, serverInterceptors } from "@switchyard/rpc";
import { setImmediate as later } from "node:timers/promises";
import { withTurns } from "./overload.ts";

const limits = { maxUnderWay: 1, maxWaiting: 2, maxWaitMs: 10_000, busyTurnMs: 10_000 };

/** A client of a service with this upload, on which uploads take turns. */
function clientOf(uploadFile: ServiceImpl<typeof ExtractionService>["uploadFile"]) {
  const transport = createDirectTransport({
    services: [register(ExtractionService, { uploadFile } as ServiceImpl<typeof ExtractionService>)],
    serverInterceptors: serverInterceptors({ logger: createLogger({ name: "test", level: "silent" }) }),
  });
  return createClient(ExtractionService, withTurns(transport, limits));
}

/** An upload of one message, and when all of it has been asked for. */
function upload(filename: string) {
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  async function* messages() {
    yield { filename, last: true };
    resolve();
  }
  return { messages: messages(), sent };
}

describe("the turns of uploads", () => {
  it("are given back also by one whose service failed while it waited for its turn", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const failing = upload("failing");
    const client = clientOf(async (requests) => {
      const messages = requests[Symbol.asyncIterator]();
      const { filename = "" } = (await messages.next()).value ?? {};
      const end = messages.next();
      end.catch(() => undefined);
      if (filename === "failing") {
        await failing.sent;
        await later();
        throw invalid([{ field: "filename", message: "is refused" }]);
      }
      await end;
      if (filename === "first") {
        begin();
        await released;
      }
      return { filename };
    });

    const first = client.uploadFile(upload("first").messages);
    await begun;
    const error = await client.uploadFile(failing.messages).catch((thrown: unknown) => thrown);
    expect(factsOf(error).reason).toBe("INVALID_REQUEST");
    const next = client.uploadFile(upload("next").messages);
    release();
    expect((await first).filename).toBe("first");
    expect((await next).filename).toBe("next");
    expect((await client.uploadFile(upload("last").messages)).filename).toBe("last");
  });
});
