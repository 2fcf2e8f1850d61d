import { foldName, nameFaults } from "./names.ts";

describe("nameFaults", () => {
  it("allows 1 to 120 characters after trimming", () => {
    const names = ["a", ` ${"x".repeat(120)} `, "🚂".repeat(120)];
    expect(names.flatMap((name) => nameFaults("name", name))).toEqual([]);
    expect(["", " \t", "x".repeat(121)].map((name) => nameFaults("name", name).length)).toEqual([1, 1, 1]);
  });
});

describe("foldName", () => {
  it("makes names equal that differ in case, outer blanks or composition", () => {
    expect(foldName(" Straße ")).toBe(foldName("STRASSE"));
    expect(foldName("Café")).toBe(foldName("CAFE\u0301"));
    expect(foldName("a b")).not.toBe(foldName("ab"));
  });
});
