import { createProgress } from "./progress.ts";

describe("createProgress", () => {
  it.each([
    ["a terminal", { isTerminal: true, isPiped: false }, true, true],
    ["a file", { isTerminal: false, isPiped: false }, true, true],
    ["another program, whose rows come to the same terminal", { isTerminal: false, isPiped: true }, true, false],
    ["a file, as is standard error", { isTerminal: false, isPiped: false }, false, false],
  ])(
    "draws a bar on standard error only if that is a terminal that no rows go to: standard output is %s",
    (_, stdout, isTerminal, drawn) => {
      let written = "";
      const common = { write: () => undefined, ready: () => Promise.resolve(), columns: 80 };
      const stderr = {
        ...common,
        isTerminal,
        isPiped: false,
        write: (text: string | Uint8Array) => void (written += String(text)),
      };
      const progress = createProgress({ stdout: { ...common, ...stdout }, stderr }, 2);
      progress.update(1, "");
      progress.end();
      expect(written !== "").toBe(drawn);
    },
  );
});
