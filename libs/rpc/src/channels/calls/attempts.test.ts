import { create, fromBinary } from "@bufbuild/protobuf";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, createClient } from "@connectrpc/connect";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import {
  ExtractionService,
  GetFileContentRequestSchema,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts } from "../../errors.ts";
import { freePort } from "../../serving/free-port.ts";
import { toFrame } from "../../serving/unary/message-frame.ts";
import { answer, eventually, grpc } from "../../testing/channel-peers.ts";
import { type Peer, startFramePeer, startPeer } from "../../testing/peers.ts";
import { collect, getFailure, toStream } from "../../testing/test-services.ts";
import { createChannelTransport } from "../channel.ts";
import { createConnections } from "../connections/connections.ts";
import { parseTarget } from "../connections/target.ts";
import { carryStream } from "./stream.ts";

const empty = toFrame(new Uint8Array());

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function connectTo(peer: Pick<Peer, "port"> & Partial<Peer>) {
  const transport = createChannelTransport({ target: `127.0.0.1:${peer.port}` });
  closing.push(
    () => transport.close(),
    () => peer.close?.(),
  );
  return { classifiers: createClient(ClassifierService, transport), files: createClient(ExtractionService, transport) };
}

/** Connects to a server that fails with the given trailers before it succeeds. Returns what it received. */
async function connectToFailing(failures: readonly Record<string, string>[], { afterHeaders = false } = {}) {
  const attempts: { headers: IncomingHttpHeaders; body: Promise<number>; at: number }[] = [];
  const peer = await startPeer((stream, headers) => {
    const failure = failures[attempts.length];
    attempts.push({ headers, body: countBytes(stream), at: performance.now() });
    if (failure !== undefined && !afterHeaders) {
      stream.respond({ ...grpc, ...failure }, { endStream: true });
      return;
    }
    stream.respond(grpc, { waitForTrailers: true });
    stream.once("wantTrailers", () => stream.sendTrailers(failure ?? { "grpc-status": "0" }));
    stream.end(failure === undefined ? empty : undefined);
  });
  return { ...connectTo(peer), attempts };
}

/** Returns the code with which a stream is closed. */
function getReset(stream: ServerHttp2Stream): Promise<number> {
  return new Promise((resolve) => stream.once("close", () => resolve(stream.rstCode)));
}

async function countBytes(stream: ServerHttp2Stream): Promise<number> {
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => (bytes += chunk.length));
  await getReset(stream);
  return bytes;
}

const unavailable = { "grpc-status": "14" };

describe("attempts of a call", () => {
  it("are repeated for an idempotent method while the service is unavailable", async () => {
    const { classifiers, attempts } = await connectToFailing([unavailable, unavailable, unavailable]);
    await classifiers.getClassifier({ classifierId: "cls_1" }, { timeoutMs: 10_000 });
    expect(attempts.map(({ headers }) => headers["grpc-previous-rpc-attempts"])).toEqual([undefined, "1", "2", "3"]);
    const timeouts = attempts.map(({ headers }) => parseInt(headers["grpc-timeout"] as string));
    expect(timeouts).toEqual([...timeouts].sort((one, other) => other - one));
    expect(timeouts[3]).toBeLessThan(10_000 - 500);
  });

  it("end after four", async () => {
    const { classifiers, attempts } = await connectToFailing(Array.from({ length: 9 }, () => unavailable));
    const error = await getFailure(classifiers.getClassifier({}));
    expect(getProblemFacts(error).code).toBe(Code.Unavailable);
    expect(attempts).toHaveLength(4);
  });

  it.each([
    ["the method is not idempotent", unavailable, false, "createClassifier"],
    ["the response has begun", unavailable, true, "getClassifier"],
    ["the status is another one", { "grpc-status": "13" }, false, "getClassifier"],
    ["the service forbids it", { ...unavailable, "grpc-retry-pushback-ms": "-1" }, false, "getClassifier"],
  ] as const)("are not repeated if %s", async (_title, failure, afterHeaders, method) => {
    const { classifiers, attempts } = await connectToFailing([failure], { afterHeaders });
    await getFailure(classifiers[method]({}));
    expect(attempts).toHaveLength(1);
  });

  it("wait as long as the service says", async () => {
    const { classifiers, attempts } = await connectToFailing([{ ...unavailable, "grpc-retry-pushback-ms": "700" }]);
    await classifiers.getClassifier({});
    const [first, second] = attempts.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(690);
  });

  it.each([
    ["server stream", "getFileContent"],
    ["client stream", "uploadFile"],
  ] as const)("send the whole request of a %s again", async (_title, method) => {
    // A refused call is attempted again even if it is not idempotent.
    const bodies: Promise<number>[] = [];
    const peer = await startPeer((stream) => {
      bodies.push(countBytes(stream));
      if (bodies.length === 1) {
        // The request has arrived, as in a server that refuses late.
        setTimeout(() => stream.close(7), 50);
        return;
      }
      stream.once("end", () => {
        stream.respond(grpc, { waitForTrailers: true });
        stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
        stream.end(empty);
      });
    });
    const { files } = connectTo(peer);
    if (method === "getFileContent") await collect(files.getFileContent({ fileId: "x".repeat(200) }));
    else await files.uploadFile(toStream({ filename: "a" }, { data: new Uint8Array(300) }));
    expect(bodies).toHaveLength(2);
    expect(await bodies[1]).toBeGreaterThan(200);
  });

  it("send the whole request, although it grew too large to be kept between two attempts", async () => {
    const bodies: Promise<number>[] = [];
    let isRefused = false;
    const peer = await startPeer((stream) => {
      const isFirst = bodies.push(countBytes(stream)) === 1;
      let received = 0;
      stream.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (!isFirst || received < 400_000) return;
        isRefused = true;
        stream.close(7);
      });
      if (!isFirst) stream.once("end", () => answer(stream, "done"));
    });
    async function* parts() {
      yield { data: new Uint8Array(400_000) };
      await eventually(
        () => isRefused,
        (value) => value,
      );
      await sleep(20);
      yield { data: new Uint8Array(800_000) };
      yield { data: new Uint8Array(800_000) };
    }
    await connectTo(peer).files.uploadFile(parts());
    expect(bodies).toHaveLength(2);
    expect(await bodies[1]).toBeGreaterThan(2_000_000);
  });

  it("are not repeated for a request that is too large to be kept", async () => {
    const bodies: Promise<number>[] = [];
    const peer = await startPeer((stream) => {
      bodies.push(countBytes(stream));
      let received = 0;
      stream.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > 1_500_000) stream.close(7);
      });
    });
    const { files } = connectTo(peer);
    const parts = Array.from({ length: 20 }, () => ({ data: new Uint8Array(100_000) }));
    expect(getProblemFacts(await getFailure(files.uploadFile(toStream(...parts)))).code).toBe(Code.Unavailable);
    expect(bodies).toHaveLength(1);
  });
});

describe("a call that ends early", () => {
  it("ends at its deadline, wherever it is", async () => {
    const silent = await startFramePeer(() => undefined, { isSilent: true });
    const mute = await startPeer(() => undefined);
    const begun = await startPeer((stream) => stream.respond(grpc));
    const away = { port: await freePort() };
    for (const peer of [silent, mute, begun, away]) {
      const { classifiers, files } = connectTo(peer);
      const since = performance.now();
      const errors = await Promise.all([
        getFailure(classifiers.getClassifier({}, { timeoutMs: 90 })),
        getFailure(classifiers.getClassifier({}, { headers: { "grpc-timeout": "90m" } })),
        getFailure(collect(files.getFileContent({}, { headers: { "grpc-timeout": "90m" } }))),
      ]);
      for (const error of errors) {
        expect(getProblemFacts(error)).toMatchObject({ code: Code.DeadlineExceeded, reason: "DEADLINE_EXCEEDED" });
      }
      expect(performance.now() - since).toBeLessThan(5_000);
    }
  });

  it("is not begun if its deadline has passed while it waited", async () => {
    const { classifiers, attempts } = await connectToFailing([{ ...unavailable, "grpc-retry-pushback-ms": "2000" }]);
    const error = await getFailure(classifiers.getClassifier({}, { timeoutMs: 1_500 }));
    expect(getProblemFacts(error).code).toBe(Code.DeadlineExceeded);
    await sleep(800);
    expect(attempts).toHaveLength(1);
  });

  it("is cancelled, wherever it is, and tells the server", async () => {
    const resets: Promise<number>[] = [];
    const watch = (stream: ServerHttp2Stream): void => {
      resets.push(getReset(stream));
    };
    const silent = await startFramePeer(() => undefined, { isSilent: true });
    const mute = await startPeer(watch);
    const begun = await startPeer((stream) => {
      watch(stream);
      stream.respond(grpc);
      stream.write(empty);
    });
    const away = { port: await freePort() };
    for (const [peer, streams] of [
      [silent, 0],
      [away, 0],
      [mute, 2],
      [begun, 4],
    ] as const) {
      const { classifiers, files } = connectTo(peer);
      const abort = new AbortController();
      const { signal } = abort;
      const calls = [
        getFailure(classifiers.getClassifier({}, { signal })),
        getFailure(collect(files.getFileContent({}, { signal }))),
      ];
      await sleep(50);
      await eventually(
        () => resets.length,
        (count) => count === streams,
      );
      abort.abort();
      for (const error of await Promise.all(calls)) expect(getProblemFacts(error).code).toBe(Code.Canceled);
    }
    expect(await Promise.all(resets)).toEqual([8, 8, 8, 8]);
  });

  it("ends the stream if its reader stops", async () => {
    let reset: Promise<number> | undefined;
    const peer = await startPeer((stream) => {
      reset = getReset(stream);
      stream.respond(grpc);
      stream.write(Buffer.concat([empty, empty]));
    });
    // The clients of Connect do not pass it on.
    const connections = createConnections(parseTarget(`127.0.0.1:${peer.port}`));
    closing.push(connections.close, peer.close);
    const method = ExtractionService.method.getFileContent;
    const { signal } = new AbortController();
    const input = toStream(create(GetFileContentRequestSchema));
    const { output } = await carryStream(connections, fromBinary, {
      method,
      url: "",
      header: new Headers(),
      signal,
      input,
    });
    for await (const _message of output) break;
    expect(await reset).toBe(8);
  });

  it("ends with the error of its request", async () => {
    const peer = await startPeer(() => undefined);
    async function* parts() {
      yield { filename: "a" };
      await sleep(20);
      throw new Error("the file is gone");
    }
    expect(String(await getFailure(connectTo(peer).files.uploadFile(parts())))).toContain("the file is gone");
  });

  it("stops reading a request that the service no longer wants", async () => {
    const peer = await startPeer((stream) => {
      stream.respond({ ...grpc, "grpc-status": "3", "grpc-message": "enough" }, { endStream: true });
    });
    let read = 0;
    let isClosed = false;
    async function* parts() {
      try {
        for (; read < 1_000; read++) yield { data: new Uint8Array(100_000) };
      } finally {
        isClosed = true;
      }
    }
    const error = await getFailure(connectTo(peer).files.uploadFile(parts()));
    expect(getProblemFacts(error)).toMatchObject({ code: Code.InvalidArgument, message: "enough" });
    await eventually(
      () => isClosed,
      (value) => value,
    );
    expect(read).toBeLessThan(200);
  });
});
