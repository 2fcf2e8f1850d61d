import { changedFields, idListFaults } from "./request-fields.ts";

const names = { name: "name", project_ids: "projectIds" };

describe("changedFields", () => {
  it("are those of the mask by either name, without one those that hold something", () => {
    expect([...changedFields(["project_ids", "projectIds"], ["name"], names).fields]).toEqual(["projectIds"]);
    expect([...changedFields([], ["name"], names).fields]).toEqual([]);
    expect([...changedFields(undefined, ["name"], names).fields]).toEqual(["name"]);
  });

  it("are refused where they cannot be changed", () => {
    const { fields, faults } = changedFields(["id", "name", "constructor"], [], names);
    expect([...fields]).toEqual(["name"]);
    expect(faults.map(({ field }) => field)).toEqual(["id", "constructor"]);
  });
});

describe("idListFaults", () => {
  it("allows 1,000 ids, none of them empty", () => {
    const many = Array.from({ length: 1001 }, (_, index) => `x${index}`);
    expect(idListFaults("ids", many.slice(1))).toEqual([]);
    expect(idListFaults("ids", many).map(({ field }) => field)).toEqual(["ids"]);
    expect(idListFaults("ids", ["a", "", "b", ""]).map(({ field }) => field)).toEqual(["ids[1]", "ids[3]"]);
  });
});
