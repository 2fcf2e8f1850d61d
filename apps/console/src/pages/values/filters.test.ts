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

  it("and the rows that need a review tell the status of a row", () => {
    const row = (fileId: string, day: number, accepted = false) => ({
      ...{ fileId, accepted, createdAt: `2026-11-0${day}T00:00:00.000Z` },
    });
    const all = { items: [row("fil_5", 5), row("fil_3", 3)], isComplete: true };
    expect(getStatus(row("fil_5", 5, true), undefined, all)).toBe("ACCEPTED");
    expect(getStatus(row("fil_3", 3), undefined, all)).toBe("NEEDS_REVIEW");
    expect(getStatus(row("fil_1", 1), undefined, all)).toBe("UNREVIEWED");
    const first = { ...all, isComplete: false };
    expect(getStatus(row("fil_4", 4), undefined, first)).toBe("UNREVIEWED");
    // Another one with the same time may follow.
    expect(getStatus(row("fil_2", 3), undefined, first)).toBeUndefined();
    expect(getStatus(row("fil_1", 1), undefined, first)).toBeUndefined();
    expect(getStatus(row("fil_1", 1), "NEEDS_REVIEW", first)).toBe("NEEDS_REVIEW");
  });
});
