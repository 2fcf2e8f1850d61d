import { idListFaults } from "./request-fields.ts";

describe("idListFaults", () => {
  it("allows 1,000 ids, none of them empty", () => {
    const many = Array.from({ length: 1001 }, (_, index) => `x${index}`);
    expect(idListFaults("ids", many.slice(1))).toEqual([]);
    expect(idListFaults("ids", many).map(({ field }) => field)).toEqual(["ids"]);
    expect(idListFaults("ids", ["a", "", "b", ""]).map(({ field }) => field)).toEqual(["ids[1]", "ids[3]"]);
  });
});
