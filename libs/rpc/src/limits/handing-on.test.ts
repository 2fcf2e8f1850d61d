import { createHandingOn } from "./handing-on.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("createHandingOn", () => {
  it("begins a few in each turn of the event loop, served connections first, and none that is gone", async () => {
    const handOn = createHandingOn();
    const begun: string[] = [];
    const request = (name: string, newcomer: boolean, gone = false) => ({
      newcomer,
      isGone: () => gone,
      begin: () => void begun.push(name),
    });
    for (let n = 0; n < 100; n += 1) handOn(request("gone", true, true));
    for (let n = 0; n < 20; n += 1) handOn(request(`new ${n}`, true));
    handOn(request("served", false));
    expect(begun).toEqual([]);
    await nextTurn();
    expect(begun[0]).toBe("served");
    expect(begun.length).toBeLessThan(21);
    while (begun.length < 21) await nextTurn();
    expect(begun.slice(1)).toEqual(Array.from({ length: 20 }, (_, n) => `new ${n}`));
  });
});
