import { ReviewReason } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Review } from "../../domain/review/review.ts";
import {
  as,
  callerWith,
  createSystem,
  failure,
  fakeExtractor,
  model,
  projects,
  useSurroundings,
  utf8,
} from "../../testing/system.ts";
import type { System } from "../../testing/system.ts";

const surroundings = useSurroundings();
const caller = callerWith([projects.payables]);

/** Runs a test with a system whose next extractions need these reviews. */
async function withReviews(
  reviews: readonly (Review | null)[],
  test: (system: System, extract: (filename: string) => Promise<{ fileId: string; id: string }>) => Promise<void>,
): Promise<void> {
  const waiting = [...reviews];
  const extractor = fakeExtractor();
  const system = await createSystem(surroundings, {
    extractor: {
      ...extractor,
      async extract(...document) {
        return { ...(await extractor.extract(...document)), review: waiting.shift() ?? null };
      },
    },
  });
  try {
    await test(system, async (filename) => {
      const file = await system.upload(caller, projects.payables, filename, utf8(`Invoice ${filename}`));
      return extractFile(system, file.id);
    });
  } finally {
    await system.close();
  }
}

async function extractFile(system: System, fileId: string) {
  const extraction = await system.gateway.createExtraction({ targetId: model.id, fileId }, as(caller));
  expect(extraction.status).toBe(ExtractionStatus.COMPLETED);
  return extraction;
}

const missing: Review = { reason: ReviewReason.MISSING_VALUE, message: "No value.", confidence: null, urgency: 1 };
const low = (confidence: number): Review => ({
  reason: ReviewReason.LOW_CONFIDENCE,
  message: `Low: ${confidence}.`,
  confidence,
  urgency: 1 - confidence,
});

async function list(system: System, limit = 50, after = "") {
  const { extractions } = await system.review.listExtractionsForReview({
    projectId: projects.payables,
    limit,
    after,
  });
  return extractions;
}

describe("the list of extractions for review", () => {
  it("is in the order of urgency, the newest first among equals, and continues after any position", async () => {
    await withReviews([low(0.5), missing, null, low(0.1), missing], async (system, extract) => {
      for (const name of ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]) await extract(name);
      const all = await list(system);
      expect(all.map(({ filename }) => filename)).toEqual(["e.txt", "b.txt", "d.txt", "a.txt"]);
      expect(all.map(({ urgency }) => urgency)).toEqual([1, 1, 0.9, 0.5]);
      expect(all[2]).toMatchObject({ reason: ReviewReason.LOW_CONFIDENCE, message: "Low: 0.1.", confidence: 0.1 });
      expect(all[0]?.confidence).toBeUndefined();
      expect(await list(system, 2)).toEqual(all.slice(0, 2));
      expect(await list(system, 2, all[1]?.position)).toEqual(all.slice(2));
      expect(await list(system, 2, all[3]?.position)).toEqual([]);
    });
  });

  it("contains of each file and model only the last completed extraction", async () => {
    await withReviews([missing, low(0.2), null], async (system, extract) => {
      const first = await extract("a.txt");
      const second = await extractFile(system, first.fileId);
      expect((await list(system)).map(({ extractionId }) => extractionId)).toEqual([second.id]);
      await extractFile(system, first.fileId);
      expect(await list(system)).toEqual([]);
    });
  });

  it("loses an extraction when its file is accepted, and gets it back when the accepted values are deleted", async () => {
    await withReviews([missing], async (system, extract) => {
      const { id, fileId } = await extract("a.txt");
      const before = await list(system);
      expect(before).toHaveLength(1);
      await system.accepted.acceptExtraction({ extractionId: id }, as(caller));
      expect(await list(system)).toEqual([]);
      await system.accepted.deleteAcceptedValues({ fileId, modelId: model.id }, as(caller));
      expect(await list(system)).toEqual(before);
      await system.gateway.deleteFile({ fileId }, as(caller));
      expect(await list(system)).toEqual([]);
    });
  });

  it("requires a project and a limit", async () => {
    await withReviews([], async (system) => {
      const call = (request: { projectId?: string; limit?: number }) =>
        failure(system.review.listExtractionsForReview({ projectId: projects.payables, limit: 1, ...request }));
      for (const request of [{ projectId: "" }, { limit: 0 }, { limit: 502 }]) {
        expect(await call(request)).toEqual({ code: "InvalidArgument", reason: "INVALID_REQUEST" });
      }
    });
  });
});
