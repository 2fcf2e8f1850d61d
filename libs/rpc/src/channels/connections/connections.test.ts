import type { ServerHttp2Stream } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { getProblemFacts } from "../../errors.ts";
import { freePort } from "../../serving/free-port.ts";
import { answer, eventually, startNamed, useChannels } from "../../testing/channel-peers.ts";
import { startFramePeer, startPeer } from "../../testing/peers.ts";
import { getFailure } from "../../testing/test-services.ts";
import type { Lookup } from "./resolver.ts";

const { connectTo, closeLater } = useChannels();

describe("connections to several addresses", () => {
  it("are used in turn", async () => {
    const peers = [await startNamed("a"), await startNamed("b"), await startNamed("c")];
    const { client } = connectTo(`ipv4:${peers.map(({ port }) => `127.0.0.1:${port}`).join(",")}`, peers);
    const call = async () => (await client.createClassifier({})).name;
    await eventually(
      async () => new Set([await call(), await call(), await call()]),
      ({ size }) => size === 3,
    );
    const names = [];
    for (let count = 0; count < 9; count++) names.push(await call());
    expect(names.slice(0, 3).sort()).toEqual(["a", "b", "c"]);
    expect(names.slice(3)).toEqual([...names.slice(0, 3), ...names.slice(0, 3)]);
    expect(peers.map(({ connections }) => connections())).toEqual([1, 1, 1]);
  });

  it("leave out one that is away, and one that hangs, until they return", async () => {
    const there = await startNamed("there");
    const silent = await startFramePeer(() => undefined, { isSilent: true });
    const away = await freePort();
    const { client } = connectTo(`ipv4:127.0.0.1:${away},127.0.0.1:${silent.port},127.0.0.1:${there.port}`, [
      there,
      silent,
    ]);
    for (let count = 0; count < 20; count++) expect((await client.createClassifier({})).name).toBe("there");
    // The circuit would have opened by now if no address responded.
    await sleep(1_000);
    expect((await client.createClassifier({})).name).toBe("there");
    const back = await startNamed("back", { port: away });
    closeLater(back.close);
    const name = await eventually(
      async () => (await client.createClassifier({})).name,
      (value) => value === "back",
    );
    expect(name).toBe("back");
  });

  it.skipIf(process.platform === "darwin")("follow the name of the target", async () => {
    const one = await startNamed("one");
    const two = await startNamed("two", { port: one.port, host: "127.0.0.2" });
    let addresses = ["127.0.0.1", "127.0.0.2"];
    const names: string[] = [];
    const lookup: Lookup = (name) => {
      names.push(name);
      return Promise.resolve(addresses);
    };
    const { client } = connectTo(`dns:///service:${one.port}`, [two], lookup);
    const call = async () => (await client.getClassifier({})).name;
    await eventually(
      async () => [await call(), await call()].sort(),
      ([first, second]) => first === "one" && second === "two",
    );
    expect(names).toEqual(["service"]);
    // A replica is replaced by another one, with another address.
    const three = await startNamed("three", { port: one.port, host: "127.0.0.3" });
    addresses = ["127.0.0.2", "127.0.0.3"];
    await one.close();
    closeLater(three.close);
    const seen = new Set<string>();
    await eventually(
      async () => seen.add(await call()),
      (all) => all.has("three"),
    );
    const later = new Set([await call(), await call(), await call(), await call()]);
    expect([...later].sort()).toEqual(["three", "two"]);
    expect(names).toEqual(["service", "service"]);
  });

  it("fail calls as Unavailable while the name cannot be resolved, and succeed when it can", async () => {
    const peer = await startNamed("there");
    let isKnown = false;
    const lookup: Lookup = () =>
      isKnown ? Promise.resolve(["127.0.0.1"]) : Promise.reject(new Error("ENOTFOUND service"));
    const { client } = connectTo(`service:${peer.port}`, [peer], lookup);
    const error = await getFailure(client.createClassifier({}));
    expect(getProblemFacts(error)).toMatchObject({ code: Code.Unavailable, message: "The service cannot be reached." });
    expect((error as Error).cause).toMatchObject({ message: "ENOTFOUND service" });
    const response = client.getClassifier({});
    isKnown = true;
    expect((await response).name).toBe("there");
  });

  it("fail calls if the resolver hangs", async () => {
    const { client } = connectTo("service:1", [], () => new Promise(() => undefined));
    const begun = performance.now();
    const [waiting, failed] = [getFailure(client.getClassifier({})), getFailure(client.createClassifier({}))];
    for (const error of [await waiting, await failed]) {
      expect(getProblemFacts(error)).toMatchObject({
        code: Code.Unavailable,
        message: "The service does not respond.",
      });
    }
    expect(performance.now() - begun).toBeGreaterThan(700);
    const again = performance.now();
    await getFailure(client.getClassifier({}));
    expect(performance.now() - again).toBeLessThan(700);
  });
});

describe("a server with a limit on calls at the same time", () => {
  it("gets them one after the other", async () => {
    let active = 0;
    let most = 0;
    const peer = await startPeer(
      (stream) => {
        most = Math.max(most, ++active);
        setTimeout(() => {
          active -= 1;
          answer(stream, "x");
        }, 5);
      },
      { settings: { maxConcurrentStreams: 2 } },
    );
    const { client } = connectTo(`127.0.0.1:${peer.port}`, [peer]);
    await Promise.all(Array.from({ length: 20 }, () => client.createClassifier({})));
    expect(most).toBe(2);
    expect(peer.connections()).toBe(1);
  });
});

describe("a channel that is closed", () => {
  it("finishes calls in progress, and fails those that wait and further ones", async () => {
    const streams: ServerHttp2Stream[] = [];
    const peer = await startPeer((stream) => void streams.push(stream));
    const silent = await startFramePeer(() => undefined, { isSilent: true });
    const { client, close } = connectTo(`127.0.0.1:${peer.port}`, [peer]);
    const waiting = connectTo(`127.0.0.1:${silent.port}`, [silent]);
    const waits = getFailure(waiting.client.getClassifier({}));
    const progressing = client.getClassifier({});
    await eventually(
      () => streams.length,
      (count) => count === 1,
    );
    close();
    waiting.close();
    const errors = [
      await waits,
      await getFailure(client.getClassifier({})),
      await getFailure(client.createClassifier({})),
    ];
    for (const error of errors) expect(getProblemFacts(error).code).toBe(Code.Unavailable);
    answer(streams[0] as ServerHttp2Stream, "done");
    expect((await progressing).name).toBe("done");
    await eventually(
      () => peer.sessions.size,
      (count) => count === 0,
    );
  });
});
