import { placeReviewed } from "./reviewed-file.ts";

const newFileId = () => "fil_new";

describe("placeReviewed", () => {
  it.each([null, "prj_1"])("keeps the file of the project, or one without a project: %s", (projectId) => {
    expect(placeReviewed({ id: "fil_1", projectId }, [], "prj_1", newFileId)).toEqual({
      fileId: "fil_1",
      isNew: false,
      files: [],
    });
  });

  it("gives another project a file of its own once, however often the review changes", () => {
    const file = { id: "fil_1", projectId: "prj_1" };
    const first = placeReviewed(file, [], "prj_2", newFileId);
    expect(first).toEqual({ fileId: "fil_new", isNew: true, files: [{ projectId: "prj_2", fileId: "fil_new" }] });
    const other = placeReviewed(file, first.files, "prj_3", () => "fil_other");
    expect(placeReviewed(file, other.files, "prj_2", () => "fil_never")).toMatchObject({
      fileId: "fil_new",
      isNew: false,
      files: other.files,
    });
  });
});
