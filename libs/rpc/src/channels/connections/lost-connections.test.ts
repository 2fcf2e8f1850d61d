import type { ServerHttp2Stream } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { getProblemFacts } from "../../errors.ts";
import { answer, answerFrames, eventually, useChannels } from "../../testing/channel-peers.ts";
import { frame, word } from "../../testing/http2-frames.ts";
import { type ReceivedFrame, startFramePeer, startPeer } from "../../testing/peers.ts";
import { getFailure } from "../../testing/test-services.ts";

const { connectTo } = useChannels();

const isHeaders = ({ type }: ReceivedFrame): boolean => type === 1;
const isPing = ({ type, flags }: ReceivedFrame): boolean => type === 6 && flags === 0;

describe("a connection that the server closes", () => {
  it("is left for another one, and finishes its calls", async () => {
    const streams: ServerHttp2Stream[] = [];
    const peer = await startPeer((stream) => void streams.push(stream));
    const { client } = connectTo(`127.0.0.1:${peer.port}`, [peer]);
    const first = client.createClassifier({});
    await eventually(
      () => streams.length,
      (count) => count === 1,
    );
    for (const session of peer.sessions) session.close();
    await eventually(
      () => peer.connections(),
      (count) => count === 2,
    );
    const second = client.createClassifier({});
    await eventually(
      () => streams.length,
      (count) => count === 2,
    );
    expect(streams[0]?.session).not.toBe(streams[1]?.session);
    for (const [index, stream] of streams.entries()) answer(stream, `call ${index}`);
    expect([(await first).name, (await second).name]).toEqual(["call 0", "call 1"]);
    await eventually(
      () => peer.sessions.size,
      (count) => count === 1,
    );
  });

  it("has its calls that were not processed made again, whatever their method", async () => {
    const received: number[][] = [];
    const peer = await startFramePeer((received_, socket) => {
      if (!isHeaders(received_)) return;
      const streams = (received[peer.connections() - 1] ??= []);
      streams.push(received_.stream);
      if (peer.connections() > 1) socket.write(answerFrames(received_.stream));
      else if (streams.length === 3) {
        // The first one was processed, the others were not.
        socket.write(frame("goaway", 0, 0, Buffer.concat([word(1), word(0)])));
        setTimeout(() => socket.write(answerFrames(1)), 50);
      }
    });
    const { client } = connectTo(`127.0.0.1:${peer.port}`, [peer]);
    await Promise.all([client.createClassifier({}), client.createClassifier({}), client.createClassifier({})]);
    expect(received).toEqual([
      [1, 3, 5],
      [1, 3],
    ]);
  });

  it("fails calls that may have been processed, and repeats them only if they are idempotent", async () => {
    let calls = 0;
    const peer = await startFramePeer((received, socket) => {
      if (!isHeaders(received)) return;
      calls += 1;
      if (calls > 2) socket.write(answerFrames(received.stream));
      else if (calls === 2) {
        socket.write(frame("goaway", 0, 0, Buffer.concat([word(3), word(2)])));
        socket.end();
      }
    });
    const { client } = connectTo(`127.0.0.1:${peer.port}`, [peer]);
    const [once_, repeated] = await Promise.allSettled([client.createClassifier({}), client.getClassifier({})]);
    expect(once_.status === "rejected" && getProblemFacts(once_.reason).code).toBe(Code.Unavailable);
    expect(repeated.status).toBe("fulfilled");
    expect(calls).toBe(3);
  });

  it("has its calls that still wait for their turn made again", async () => {
    const streams: ServerHttp2Stream[] = [];
    const options = { settings: { maxConcurrentStreams: 1 } };
    const peer = await startPeer((stream) => void streams.push(stream), options);
    const { client } = connectTo(`127.0.0.1:${peer.port}`, [peer]);
    const calls = [client.createClassifier({})];
    await eventually(
      () => streams.length,
      (count) => count === 1,
    );
    calls.push(client.createClassifier({}));
    await sleep(50);
    expect(streams).toHaveLength(1);
    for (const session of peer.sessions) session.close();
    await eventually(
      () => streams.length,
      (count) => count === 2,
    );
    for (const [index, stream] of streams.entries()) answer(stream, `call ${index}`);
    expect((await Promise.all(calls)).map(({ name }) => name)).toEqual(["call 0", "call 1"]);
  });

  it("is opened again only after a pause if the server closes each at once", async () => {
    const peer = await startFramePeer((received, socket) => {
      if (received.type === 4 && received.flags === 0) {
        socket.write(frame("goaway", 0, 0, Buffer.concat([word(0), word(0)])));
      }
    });
    const { client } = connectTo(`127.0.0.1:${peer.port}`, [peer]);
    await getFailure(client.getClassifier({}, { timeoutMs: 1_000 }));
    expect(peer.connections()).toBeLessThan(25);
  });
});

describe("a server that stops responding", () => {
  it("fails its calls within 3.5 seconds, and is connected to again", async () => {
    let isHanging = false;
    const peer = await startFramePeer((received, socket) => {
      if (isHanging) return;
      if (isPing(received)) socket.write(frame("ping", 1, 0, received.payload));
      if (isHeaders(received)) socket.write(answerFrames(received.stream));
    });
    const { client } = connectTo(`127.0.0.1:${peer.port}`, [peer]);
    await client.createClassifier({});
    isHanging = true;
    const begun = performance.now();
    const failing = getFailure(client.createClassifier({}));
    const repeated = client.getClassifier({});
    const error = await failing;
    expect(getProblemFacts(error)).toMatchObject({ code: Code.Unavailable });
    expect((error as Error).cause).toMatchObject({ message: "The server does not acknowledge pings." });
    expect(performance.now() - begun).toBeGreaterThan(2_400);
    expect(performance.now() - begun).toBeLessThan(15_000);
    isHanging = false;
    await repeated;
    expect(peer.connections()).toBe(2);
  });

  it("is noticed although it no longer reads", async () => {
    const largest = 2 ** 31 - 1;
    const peer = await startFramePeer((received, socket) => {
      if (isHeaders(received)) socket.pause();
      if (received.type !== 4 || received.flags !== 0) return;
      socket.write(frame("settings", 0, 0, Buffer.concat([Buffer.from([0, 4]), word(largest)])));
      socket.write(frame("windowUpdate", 0, 0, word(largest - 65_535)));
    });
    const { client } = connectTo(`127.0.0.1:${peer.port}`, [peer]);
    const large = client.createClassifier({ name: "x".repeat(30_000_000) });
    expect(getProblemFacts(await getFailure(large)).code).toBe(Code.Unavailable);
  });
});
