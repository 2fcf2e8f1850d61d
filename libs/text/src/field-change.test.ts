import { fieldChange } from "./field-change.ts";

describe("fieldChange", () => {
  it("returns both values of a changed field, and nothing for an unchanged one", () => {
    expect(fieldChange("name", "a", "b")).toEqual({ name: { from: "a", to: "b" } });
    expect(fieldChange("minConfidence", null, 0.5)).toEqual({ minConfidence: { from: null, to: 0.5 } });
    expect(fieldChange("ids", ["a"], ["a"])).toEqual({});
  });

  it("shortens long texts to whole characters, even if they differ only after that", () => {
    const long = "💶".repeat(500);
    expect(fieldChange("description", long, `${long}x`)).toEqual({ description: { from: long, to: `${long}…` } });
    expect(fieldChange("description", `${long}xy`, `${long}x`)).toEqual({
      description: { from: `${long}…`, to: `${long}…` },
    });
  });
});
