import { create } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { LearnerJob } from "./learner-worker.ts";
import { createLearning } from "./learning.ts";

describe("what a model learned without a file", () => {
  it("is learned again after a failure", async () => {
    const packed = new Uint8Array(1);
    const records = Array.from({ length: 20 }, (_, index) => ({
      fileId: `fil_${index}`,
      modelId: "mdl_1",
      revision: "1",
    }));
    let lessons = 0;
    const learning = createLearning({
      accepted: { newest: () => Promise.resolve(records), revision: () => Promise.resolve([]) },
      files: {
        listOfProject: (_id: string, ids: string[]) => Promise.resolve(ids.map((_id) => ({ _id, sha256: _id }))),
      },
      textCache: { get: () => Promise.resolve({ text: new Uint8Array(), problem: null }) },
      learner: {
        run({ kind }: LearnerJob) {
          // The first one is of all files.
          if (kind === "learn" && ++lessons === 2) return Promise.reject(new Error("the thread did not start"));
          return Promise.resolve({ packed, issuer: null });
        },
        close: () => Promise.resolve(),
      },
      now: () => 0,
      settings: { checkIntervalMs: 1_000, idleMs: 60_000, firstWaitMs: 0, maxModels: 10, maxBytes: 1_000 },
      logger: { warn: () => undefined },
      exclusive: true,
    } as never);
    const model = { projectId: "prj_1", modelId: "mdl_1" };
    const without = () => learning.without({ _id: "fil_1", sha256: "fil_1" }, model, create(ConfigurationSchema));
    await expect(without()).rejects.toThrow("the thread did not start");
    const { state, leftOut } = await without();
    expect(leftOut).toContain("fil_1");
    expect(state?.learnedFrom).toBe(records.length - leftOut.length);
  });
});
