import { getStatus, toSelection } from "./filters.ts";

const parametersOf = (query: string) => ({ get: (name: string) => new URLSearchParams(query).get(name) ?? "" });

describe("the filters of values", () => {
  it("are what the address says, and nothing that the API would refuse", () => {
    expect(toSelection("mdl_1", parametersOf("model=mdl_1"))).toEqual({ deploymentId: "mdl_1" });
    expect(toSelection("mdl_1", parametersOf("status=OTHER&from=soon"))).toEqual({ deploymentId: "mdl_1" });
    const all = parametersOf("table=items&status=ACCEPTED&search=a%26b&from=2026-11-01&to=2026-11-30");
    expect(toSelection("mdl_1", all)).toEqual({
      deploymentId: "mdl_1",
      table: "items",
      status: "ACCEPTED",
      search: "a&b",
      from: new Date(2026, 10, 1).toISOString(),
      to: new Date(2026, 11, 1).toISOString(),
    });
  });

  it("and the review list tell the status of a row", () => {
    const review = { extractionIds: new Set(["ext_1"]), isComplete: true };
    const row = (accepted: boolean, extractionId: string | null) => ({ accepted, extractionId });
    expect(getStatus(row(true, "ext_1"), undefined, review)).toBe("ACCEPTED");
    expect(getStatus(row(false, "ext_1"), undefined, review)).toBe("NEEDS_REVIEW");
    expect(getStatus(row(false, "ext_2"), undefined, review)).toBe("UNREVIEWED");
    expect(getStatus(row(false, "ext_2"), undefined, { ...review, isComplete: false })).toBeUndefined();
    expect(getStatus(row(false, "ext_2"), "NEEDS_REVIEW", { ...review, isComplete: false })).toBe("NEEDS_REVIEW");
  });
});
