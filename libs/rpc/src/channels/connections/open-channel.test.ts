import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http2";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { fileURLToPath } from "node:url";
import { answer, useChannels } from "../../testing/channel-peers.ts";
import { startPeer } from "../../testing/peers.ts";

const { closeLater } = useChannels();

describe("a process with an open channel", () => {
  const channel = fileURLToPath(new URL("../channel.ts", import.meta.url));
  const program = `
    import { createClient } from "@connectrpc/connect";
    import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
    import { createChannelTransport } from ${JSON.stringify(channel)};
    const client = createClient(ClassifierService, createChannelTransport({ target: process.argv.at(-1) }));
    const call = client.getClassifier({});
    console.log((await call).name);
  `;
  const run = async (port: number) => {
    const cwd = fileURLToPath(new URL("../../..", import.meta.url));
    const child = spawn(
      process.execPath,
      ["--input-type=module-typescript", "-e", program, "--", `127.0.0.1:${port}`],
      {
        cwd,
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, "exit")) as [number];
    return { code, output };
  };

  it("waits for its calls, and then ends", async () => {
    const peer = await startPeer((stream) => void setTimeout(() => answer(stream, "slow"), 300));
    closeLater(peer.close);
    expect(await run(peer.port)).toEqual({ code: 0, output: "slow\n" });
  });

  it("waits for a connection while it has calls", async () => {
    const server = createServer();
    server.on("stream", (stream) => answer(stream, "late"));
    // The settings come late.
    const slow = createSocketServer((socket) => void setTimeout(() => server.emit("connection", socket), 400));
    slow.listen(0, "127.0.0.1");
    await once(slow, "listening");
    closeLater(() => slow.close());
    expect(await run((slow.address() as AddressInfo).port)).toEqual({ code: 0, output: "late\n" });
  });
});
