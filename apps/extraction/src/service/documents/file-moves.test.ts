import type { ProjectFileStore } from "../../store/duplicates.ts";
import { createFileMoves } from "./file-moves.ts";

describe("what is placed in a project", () => {
  const moves = createFileMoves({} as ProjectFileStore);

  it("is alone unless something else is being placed, which it waits for", async () => {
    const first = Promise.withResolvers<void>();
    const order: string[] = [];
    const placeFirst = moves.place("prj_1", async (isAlone) => {
      await first.promise;
      order.push(`first ${isAlone}`);
    });
    const others = ["second", "third"].map((name) =>
      moves.place("prj_1", async (isAlone) => void order.push(`${name} ${isAlone}`)),
    );
    expect([moves.isIdle("prj_1"), moves.isIdle("prj_2")]).toEqual([false, true]);
    first.resolve();
    await Promise.all([placeFirst, ...others]);
    expect(order).toEqual(["first true", "second false", "third false"]);
  });

  it("is not expected to be alone if the last was not, until one was", async () => {
    const areAlone: boolean[] = [];
    const place = () => moves.place("prj_3", async (isAlone) => void areAlone.push(isAlone));
    await Promise.all([place(), place()]);
    expect(moves.isIdle("prj_3")).toBe(false);
    await place();
    expect(moves.isIdle("prj_3")).toBe(true);
    await place();
    expect(areAlone).toEqual([true, false, false, true]);
  });

  it("does not wait in vain for what fails", async () => {
    const failing = moves.place("prj_4", () => Promise.reject(new Error("It failed.")));
    const next = moves.place("prj_4", (isAlone) => Promise.resolve(isAlone));
    await expect(failing).rejects.toThrow("It failed.");
    expect(await next).toBe(false);
  });
});
