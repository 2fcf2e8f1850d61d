import { changedFields } from "./index.ts";

const names = { name: "name", project_ids: "projectIds" };

describe("changedFields", () => {
  it("are those of the mask by either name, without one those that hold something", () => {
    expect([...changedFields(["project_ids", "projectIds"], ["name"], names).fields]).toEqual(["projectIds"]);
    expect([...changedFields([], ["name"], names).fields]).toEqual([]);
    expect([...changedFields(undefined, ["name"], names).fields]).toEqual(["name"]);
  });

  it("are refused where they cannot be changed", () => {
    const { fields, violations } = changedFields(["id", "name", "constructor"], [], names);
    expect([...fields]).toEqual(["name"]);
    expect(violations.map(({ field }) => field)).toEqual(["id", "constructor"]);
  });
});
