import { once } from "node:events";
import { constants, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, createClient } from "@connectrpc/connect";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { getProblemFacts } from "../../errors.ts";
import { startPeer } from "../../testing/peers.ts";
import { getFailure } from "../../testing/test-services.ts";
import { createChannelTransport } from "../channel.ts";

describe("a unary call over a channel", () => {
  const message = Buffer.from([0, 0, 0, 0, 0]);
  it.each([
    ["no response", [], "A call succeeded without a response."],
    ["two responses", [message, message], "A call received more than one response."],
    ["an invalid response", [Buffer.from([0, 0, 0, 0, 1, 255])], "The response is not valid protobuf of its type."],
  ])("fails as Internal for %s", async (_title, responses, text) => {
    const server = createServer();
    server.on("stream", (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      for (const response of responses) stream.write(response);
      stream.end();
      stream.resume();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const transport = createChannelTransport({ target: `127.0.0.1:${port}` });
    const error = await getFailure(createClient(ClassifierService, transport).getClassifier({}));
    expect(getProblemFacts(error)).toMatchObject({ code: Code.Internal, message: text });
    transport.close();
    server.close();
  });

  it("has exceeded its deadline if the server notices that first, and cancels it", async () => {
    const peer = await startPeer((stream) => void sleep(100).then(() => stream.close(constants.NGHTTP2_CANCEL)));
    const transport = createChannelTransport({ target: `127.0.0.1:${peer.port}` });
    // The timer of the client is late.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const call = createClient(ClassifierService, transport).createClassifier({}, { timeoutMs: 50 });
      expect(getProblemFacts(await getFailure(call))).toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    } finally {
      vi.useRealTimers();
      transport.close();
      await peer.close();
    }
  });
});
