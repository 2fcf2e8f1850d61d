import { create } from "@bufbuild/protobuf";
import {
  BatchClassifyResponseSchema,
  ClassificationSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { notFound, unavailable } from "@switchyard/rpc";
import { failedByEngine, neededEngine } from "./engine-waits.ts";

const usage = { inputTokens: 1, outputTokens: 1 };

describe("what needed a language model", () => {
  it("is a response with a usage, or a batch with such a document", () => {
    expect(neededEngine(create(ClassificationSchema, { usage }))).toBe(true);
    expect(neededEngine(create(ClassificationSchema, {}))).toBe(false);
    const batch = (...results: object[]) => neededEngine(create(BatchClassifyResponseSchema, { results }));
    expect(batch({ classification: {} }, { classification: { usage } })).toBe(true);
    expect(batch({ classification: {} }, { problem: { code: "ENGINE_TIMEOUT" } })).toBe(true);
    expect(batch({ classification: {} }, { problem: { code: "EMPTY_FILE" } })).toBe(false);
  });

  it("is an error with the code of an engine", () => {
    expect(failedByEngine(unavailable("ENGINE_UNREACHABLE", "The engine cannot be reached."))).toBe(true);
    expect(failedByEngine(notFound("file", "fil_1", "fileId"))).toBe(false);
    expect(failedByEngine(new Error("ENGINE_TIMEOUT"))).toBe(false);
  });
});
