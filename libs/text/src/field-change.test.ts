import { fieldChange } from "./field-change.ts";

describe("fieldChange", () => {
  it("has both values of a field that changed, and nothing of one that did not", () => {
    expect(fieldChange("name", "a", "b")).toEqual({ name: { from: "a", to: "b" } });
    expect(fieldChange("minConfidence", null, 0.5)).toEqual({ minConfidence: { from: null, to: 0.5 } });
    expect(fieldChange("ids", ["a"], ["a"])).toEqual({});
  });

  it("shortens long texts by characters, also where they differ only beyond that", () => {
    const long = "💶".repeat(500);
    expect(fieldChange("description", long, `${long}x`)).toEqual({ description: { from: long, to: `${long}…` } });
    expect(fieldChange("description", `${long}xy`, `${long}x`)).toEqual({
      description: { from: `${long}…`, to: `${long}…` },
    });
  });
});
