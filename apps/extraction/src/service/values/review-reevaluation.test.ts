import { createReviewReevaluation } from "./review-reevaluation.ts";

describe("review lists that follow policies", () => {
  it("follow those of other models if one model fails, and retry that one soon", async () => {
    vi.useFakeTimers();
    try {
      const pending = new Set(["mdl_1", "mdl_2"]);
      let isBroken = true;
      const failures: unknown[] = [];
      const reevaluation = createReviewReevaluation({
        currentValues: {
          read: ({ modelId }: { modelId: string }) =>
            isBroken && modelId === "mdl_1"
              ? Promise.reject(new Error("gone"))
              : Promise.resolve({ found: [], more: false }),
        },
        reviewThresholds: {
          listPending: () => Promise.resolve([...pending].map((_id) => ({ _id }))),
          settle: ({ _id }: { _id: string }) => Promise.resolve(void pending.delete(_id)),
        },
        // Nobody has touched it for so long that it looks for work only every five minutes.
        exclusive: true,
        logger: { error: (fields: unknown) => failures.push(fields) },
      } as never);
      reevaluation.start();
      await vi.advanceTimersByTimeAsync(5_000);
      expect([...pending]).toEqual(["mdl_1"]);
      expect(failures).toMatchObject([{ modelId: "mdl_1", err: { message: "gone" } }]);
      isBroken = false;
      await vi.advanceTimersByTimeAsync(5_000);
      expect([...pending]).toEqual([]);
      await reevaluation.stop();
    } finally {
      vi.useRealTimers();
    }
  });
});
