import { PassThrough } from "node:stream";
import { readData } from "./input-data.ts";

describe("readData", () => {
  const from = (stream: PassThrough, signal: AbortSignal) => ({
    stdin: { isTerminal: true, stream },
    folder: "/",
    signal,
  });

  it("reads standard input until it ends, or until the command is interrupted", async () => {
    const ended = new PassThrough();
    ended.end("{}");
    expect(new TextDecoder().decode(await readData(from(ended, new AbortController().signal), "-"))).toBe("{}");

    const ending = new AbortController();
    const reading = readData(from(new PassThrough(), ending.signal), "-");
    ending.abort(new Error("ended by SIGINT"));
    await expect(reading).rejects.toThrow("aborted");
  });
});
