import { placeRouted, placeUnrouted } from "./placement.ts";

const newFileId = (): string => "fil_new";

describe("placeRouted", () => {
  it("places a file without a project in the project of the route", () => {
    const placed = placeRouted({ id: "fil_1", projectId: null }, "prj_a", newFileId);
    expect(placed).toEqual({ fileId: "fil_1", sourceFileId: null, projectId: "prj_a" });
  });

  it("does not move a file of the same project", () => {
    const placed = placeRouted({ id: "fil_1", projectId: "prj_a" }, "prj_a", newFileId);
    expect(placed).toEqual({ fileId: "fil_1", sourceFileId: null, projectId: "prj_a" });
  });

  it("creates a new file for one of another project", () => {
    const placed = placeRouted({ id: "fil_1", projectId: "prj_b" }, "prj_a", newFileId);
    expect(placed).toEqual({ fileId: "fil_new", sourceFileId: "fil_1", projectId: "prj_a" });
  });
});

describe("placeUnrouted", () => {
  const inline = { id: "fil_1", projectId: null };
  it.each([
    ["leaves a file in its project", { id: "fil_1", projectId: "prj_b" }, "prj_c", "prj_t", "prj_b"],
    ["places a file of the request in the project of the classifier", inline, "prj_c", null, "prj_c"],
    [
      "places a file of the request in the project of the token if the classifier is global",
      inline,
      null,
      "prj_t",
      "prj_t",
    ],
    ["leaves a file of the request without a project if neither has one", inline, null, null, null],
  ])("%s", (_, file, classifierProject, tokenProject, projectId) => {
    expect(placeUnrouted(file, classifierProject, tokenProject)).toEqual({
      fileId: "fil_1",
      sourceFileId: null,
      projectId,
    });
  });
});
