import { getProblemFacts, notFound } from "@switchyard/rpc";
import { throwFileGone } from "./classify.ts";

describe("throwFileGone", () => {
  const reasonOf = (error: unknown): string => {
    try {
      return throwFileGone(error);
    } catch (thrown) {
      return getProblemFacts(thrown).reason;
    }
  };

  it("says that the file is gone, with its project or without", () => {
    expect(reasonOf(notFound("file", "fil_1", "fileId"))).toBe("FILE_GONE");
    expect(reasonOf(notFound("project", "prj_1", "projectId"))).toBe("FILE_GONE");
  });

  it("leaves other errors as they are", () => {
    expect(reasonOf(notFound("classifier", "clf_1", "classifierId"))).toBe("CLASSIFIER_NOT_FOUND");
  });
});
