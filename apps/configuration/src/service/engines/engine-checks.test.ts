import { createEngineChecks } from "./engine-checks.ts";

describe("createEngineChecks", () => {
  it("checks an engine once in 15 s, even for calls at the same time", async () => {
    let time = 1_000;
    const pings: string[] = [];
    const check = createEngineChecks(
      async (name) => {
        pings.push(name);
        if (name === "c") throw new Error("broken");
        return name === "a";
      },
      () => new Date(time),
    );
    expect(await Promise.all([check("a"), check("a"), check("b"), check("c")])).toEqual([
      { ready: true, at: new Date(1_000) },
      { ready: true, at: new Date(1_000) },
      { ready: false, at: new Date(1_000) },
      { ready: false, at: new Date(1_000) },
    ]);
    time = 15_999;
    await check("a");
    expect(pings).toEqual(["a", "b", "c"]);
    time = 16_000;
    expect(await check("a")).toEqual({ ready: true, at: new Date(16_000) });
    expect(pings).toEqual(["a", "b", "c", "a"]);
  });
});
