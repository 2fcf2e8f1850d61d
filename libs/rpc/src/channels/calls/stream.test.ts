import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { toFrame } from "../../serving/unary/message-frame.ts";
import { answer, grpc } from "../../testing/channel-peers.ts";
import { type Peer, startPeer } from "../../testing/peers.ts";
import { createChannelTransport } from "../channel.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function connectTo(peer: Peer) {
  const transport = createChannelTransport({ target: `127.0.0.1:${peer.port}` });
  closing.push(
    () => transport.close(),
    () => peer.close(),
  );
  return createClient(ExtractionService, transport);
}

describe("a stream", () => {
  it("is sent as fast as the server takes it", async () => {
    let resume = (): void => undefined;
    const peer = await startPeer((stream) => {
      stream.pause();
      resume = () => {
        stream.resume();
        stream.once("end", () => answer(stream, "done"));
      };
    });
    let read = 0;
    async function* parts() {
      for (; read < 300; read++) yield { data: new Uint8Array(100_000) };
    }
    const upload = connectTo(peer).uploadFile(parts());
    await sleep(300);
    expect(read).toBeLessThan(100);
    resume();
    await upload;
    expect(read).toBe(300);
  });

  it("is received as fast as it is read", async () => {
    let written = 0;
    const message = toFrame(Buffer.concat([Buffer.from([0x12, 0xa0, 0x8d, 0x06]), Buffer.alloc(100_000)]));
    const peer = await startPeer((stream) => {
      stream.respond(grpc, { waitForTrailers: true });
      stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      void (async () => {
        for (; written < 300; written++) if (!stream.write(message)) await once(stream, "drain");
        stream.end();
      })();
    });
    let count = 0;
    for await (const { data } of connectTo(peer).getFileContent({})) {
      expect(data).toHaveLength(100_000);
      if (count++ === 0) {
        await sleep(300);
        expect(written).toBeLessThan(100);
      }
    }
    expect(count).toBe(300);
  });
});
