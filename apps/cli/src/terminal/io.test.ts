import { PassThrough } from "node:stream";
import { readInput } from "./io.ts";

describe("readInput", () => {
  it("reads until the input ends, or until the command is interrupted", async () => {
    const read = async (stream: PassThrough, signal: AbortSignal): Promise<string> => {
      let text = "";
      for await (const chunk of readInput({ stdin: { isTerminal: true, stream }, signal })) text += String(chunk);
      return text;
    };
    const ended = new PassThrough();
    ended.end("Invoice");
    expect(await read(ended, new AbortController().signal)).toBe("Invoice");

    const ending = new AbortController();
    const reading = read(new PassThrough(), ending.signal);
    ending.abort(new Error("ended by SIGINT"));
    await expect(reading).rejects.toThrow("aborted");
  });
});
