import type { ClientHttp2Stream } from "node:http2";
import { Writable } from "node:stream";
import { create, type Message } from "@bufbuild/protobuf";
import { UploadFileRequestSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createRequestStream } from "./request-stream.ts";

/** Creates a stream, and the number of bytes that it has received. */
function createStream() {
  const received = { bytes: 0, hasEnded: false };
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      received.bytes += chunk.length;
      setImmediate(done);
    },
    final(done) {
      received.hasEnded = true;
      done();
    },
  });
  return { stream: stream.on("error", () => undefined) as ClientHttp2Stream, received };
}

/** Creates an input whose messages, of the given numbers of bytes, can be awaited one by one. */
function createInput() {
  const waiting: ((message: Message | undefined) => void)[] = [];
  async function* input(): AsyncGenerator<Message> {
    for (;;) {
      const message = await new Promise<Message | undefined>((resolve) => waiting.push(resolve));
      if (message === undefined) return;
      yield message;
    }
  }
  const next = async (bytes: number | undefined): Promise<void> => {
    while (waiting.length === 0) await tick();
    waiting.shift()?.(
      bytes === undefined ? undefined : create(UploadFileRequestSchema, { data: new Uint8Array(bytes) }),
    );
    await tick();
    await tick();
  };
  return { input, next };
}
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const encode = (message: Message): Buffer => Buffer.from((message as unknown as { data: Uint8Array }).data);

describe("createRequestStream", () => {
  it("sends everything again on the stream of a further attempt", async () => {
    const { input, next } = createInput();
    const requests = createRequestStream(() => undefined);
    const [first, second] = [createStream(), createStream()];
    const sent = requests.sendAll(input(), encode);
    await next(100);
    requests.sendOn(first.stream);
    await next(200);
    first.stream.destroy();
    await next(300);
    requests.sendOn(second.stream);
    await next(400);
    await next(undefined);
    await sent;
    await tick();
    expect([first.received, second.received]).toEqual([
      { bytes: 300, hasEnded: false },
      { bytes: 1_000, hasEnded: true },
    ]);
  });

  it("loses nothing that comes between two attempts, even if it is then too large for a third one", async () => {
    const { input, next } = createInput();
    let commits = 0;
    const requests = createRequestStream(() => (commits += 1));
    const [first, second] = [createStream(), createStream()];
    const sent = requests.sendAll(input(), encode);
    requests.sendOn(first.stream);
    await next(1_000_000);
    first.stream.destroy();
    await next(1_000_000);
    expect(commits).toBe(0);
    requests.sendOn(second.stream);
    await next(undefined);
    await sent;
    expect(commits).toBe(1);
    expect(second.received.bytes).toBe(2_000_000);
  });

  it("stops when the call has ended", async () => {
    const { input, next } = createInput();
    const requests = createRequestStream(() => undefined);
    const sent = requests.sendAll(input(), encode);
    await next(100);
    requests.end();
    await sent;
  });
});
