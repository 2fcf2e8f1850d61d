import { validateIdList } from "./request-fields.ts";

describe("validateIdList", () => {
  it("accepts up to 1,000 IDs that are not empty", () => {
    const many = Array.from({ length: 1001 }, (_, index) => `x${index}`);
    expect(validateIdList("ids", many.slice(1))).toEqual([]);
    expect(validateIdList("ids", many).map(({ field }) => field)).toEqual(["ids"]);
    expect(validateIdList("ids", ["a", "", "b", ""]).map(({ field }) => field)).toEqual(["ids[1]", "ids[3]"]);
  });
});
