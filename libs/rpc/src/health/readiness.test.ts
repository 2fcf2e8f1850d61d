import { getProblemFacts, unavailable } from "../errors.ts";
import { createReadiness } from "./readiness.ts";

const never = (): Promise<void> => new Promise(() => undefined);
const getReason = (ready: () => Promise<void>): Promise<string> =>
  ready().then(
    () => "ready",
    (error: unknown) => getProblemFacts(error).reason,
  );

describe("createReadiness", () => {
  it("requires every check to pass", async () => {
    expect(await getReason(createReadiness([]))).toBe("ready");
    expect(await getReason(createReadiness([async () => undefined, async () => undefined]))).toBe("ready");
    const failing = async (): Promise<void> => {
      throw Object.assign(new Error("no primary"), { name: "MongoServerSelectionError" });
    };
    expect(await getReason(createReadiness([async () => undefined, failing]))).toBe("STORAGE_UNAVAILABLE");
  });

  it.each([
    ["the reason of an error", unavailable("STORAGE_FULL", "No space."), "STORAGE_FULL"],
    ["NOT_READY for an unexpected error", new TypeError("x is undefined"), "NOT_READY"],
  ])("reports %s", async (_what, error, reason) => {
    const ready = createReadiness([() => Promise.reject(error)]);
    expect(await getReason(ready)).toBe(reason);
  });

  it("times out", async () => {
    expect(await getReason(createReadiness([never], 50))).toBe("NOT_READY");
  });

  it("shares one run between concurrent calls, and runs again for later ones", async () => {
    let looks = 0;
    const ready = createReadiness([async () => void (looks += 1)]);
    await Promise.all(Array.from({ length: 100 }, ready));
    expect(looks).toBe(1);
    await ready();
    expect(looks).toBe(2);
  });
});
