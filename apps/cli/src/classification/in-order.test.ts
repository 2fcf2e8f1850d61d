import { runInOrder } from "./in-order.ts";

const items = Array.from({ length: 50 }, (_, index) => index);
const soon = (index: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, (index * 7) % 5));

describe("runInOrder", () => {
  it("runs all tasks, at most the given number at once, and reports their results in order", async () => {
    const reported: number[] = [];
    let running = 0;
    let most = 0;
    const task = async (item: number): Promise<number> => {
      running += 1;
      most = Math.max(most, running);
      await soon(item);
      running -= 1;
      return item * 2;
    };
    const begun = await runInOrder(
      items,
      4,
      task,
      (outcome, item) => reported.push(outcome - item),
      () => true,
    );
    expect(reported).toEqual(items);
    expect([begun, most]).toEqual([50, 4]);
  });

  it("starts no further task once it is told to stop, and reports every task that it started", async () => {
    const reported: number[] = [];
    let shouldContinue = true;
    const task = async (item: number): Promise<number> => {
      await soon(item);
      if (item === 10) shouldContinue = false;
      return item;
    };
    const begun = await runInOrder(
      items,
      4,
      task,
      (outcome) => reported.push(outcome),
      () => shouldContinue,
    );
    expect(begun).toBeLessThanOrEqual(14);
    expect(reported).toEqual(items.slice(0, begun));
  });
});
