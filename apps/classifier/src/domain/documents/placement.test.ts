import { placeRouted, placeUnrouted } from "./placement.ts";

const newFileId = (): string => "fil_new";

describe("placeRouted", () => {
  it("gives a file without a project to the routed model's", () => {
    const placed = placeRouted({ id: "fil_1", projectId: null }, "prj_a", newFileId);
    expect(placed).toEqual({ fileId: "fil_1", sourceFileId: null, projectId: "prj_a" });
  });

  it("leaves a file of that project where it is", () => {
    const placed = placeRouted({ id: "fil_1", projectId: "prj_a" }, "prj_a", newFileId);
    expect(placed).toEqual({ fileId: "fil_1", sourceFileId: null, projectId: "prj_a" });
  });

  it("gives the project a file of its own for one of another project", () => {
    const placed = placeRouted({ id: "fil_1", projectId: "prj_b" }, "prj_a", newFileId);
    expect(placed).toEqual({ fileId: "fil_new", sourceFileId: "fil_1", projectId: "prj_a" });
  });
});

describe("placeUnrouted", () => {
  const inline = { id: "fil_1", projectId: null };
  it.each([
    ["a file that has a project stays there", { id: "fil_1", projectId: "prj_b" }, "prj_c", "prj_t", "prj_b"],
    ["a project classifier keeps what came with the request", inline, "prj_c", null, "prj_c"],
    ["a project token keeps what a global classifier leaves", inline, null, "prj_t", "prj_t"],
    ["nobody keeps what an organization token sent to a global one", inline, null, null, null],
  ])("%s", (_, file, classifierProject, tokenProject, projectId) => {
    expect(placeUnrouted(file, classifierProject, tokenProject)).toEqual({
      fileId: "fil_1",
      sourceFileId: null,
      projectId,
    });
  });
});
