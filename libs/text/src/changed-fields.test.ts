import { changedFields } from "./index.ts";

const names = { name: "name", project_ids: "projectIds" };

describe("changedFields", () => {
  it("returns the fields of the mask by either name, or without a mask those that are not empty", () => {
    expect([...changedFields(["project_ids", "projectIds"], ["name"], names).fields]).toEqual(["projectIds"]);
    expect([...changedFields([], ["name"], names).fields]).toEqual([]);
    expect([...changedFields(undefined, ["name"], names).fields]).toEqual(["name"]);
  });

  it("reports fields that cannot be changed", () => {
    const { fields, violations } = changedFields(["id", "name", "constructor"], [], names);
    expect([...fields]).toEqual(["name"]);
    expect(violations.map(({ field }) => field)).toEqual(["id", "constructor"]);
  });
});
