import { createForgetting } from "./forgetting.ts";

describe("removing what was learned from deleted files", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Starts it beside an extraction service that lists the files of `deleted`, and counts how often it is asked. */
  function start(isReported: boolean) {
    const deleted = new Set<string>();
    const forgotten: string[] = [];
    const batches: number[] = [];
    let count = 0;
    const forgetting = createForgetting(
      {
        isReported,
        reviews: {
          async forgetFiles(ids: readonly string[]) {
            batches.push(ids.length);
            forgotten.push(...ids);
          },
        } as never,
        documents: {
          async listDeletedFiles() {
            count += 1;
            return { fileIds: [...deleted] };
          },
          async acknowledgeDeletedFiles({ fileIds }: { fileIds: readonly string[] }) {
            for (const id of fileIds) deleted.delete(id);
          },
        } as never,
      },
      (error) => {
        throw error;
      },
    );
    forgetting.start();
    return { deleted, forgotten, batches, forgetting, count: () => count };
  }

  it("asks every three seconds if nobody reports deletions", async () => {
    const { deleted, forgotten, forgetting, count } = start(false);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(count()).toBe(100);
    deleted.add("fil_1");
    await vi.advanceTimersByTimeAsync(3_000);
    expect(forgotten).toEqual(["fil_1"]);
    await forgetting.stop();
  });

  it("takes no more files at a time than the store finds by an index", async () => {
    const { deleted, forgotten, batches, forgetting } = start(true);
    const ids = Array.from({ length: 450 }, (_, at) => `fil_${String(at)}`);
    for (const id of ids) deleted.add(id);
    forgetting.touch();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(batches).toEqual([200, 200, 50]);
    expect(forgotten).toEqual(ids);
    expect(deleted.size).toBe(0);
    await forgetting.stop();
  });

  it("asks rarely otherwise, and soon after one is reported", async () => {
    const { deleted, forgotten, forgetting, count } = start(true);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(count()).toBeLessThan(10);
    deleted.add("fil_1");
    forgetting.touch();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(forgotten).toEqual(["fil_1"]);
    await forgetting.stop();
  });
});
