import { characterCount, validateName, fold, foldName } from "./index.ts";

describe("validateName", () => {
  it.each(["a", " a ", "n".repeat(120), "😀".repeat(120), "Größe & Söhne – 北京", "a\u200db"])(
    "finds nothing wrong with %j",
    (name) => {
      expect(validateName("name", name)).toEqual([]);
    },
  );

  it.each(["", "  ", "\u200b", "\u00a0\u200b", "n".repeat(121), "😀".repeat(121), "a\u0000b", "a\nb", "abc\u202edef"])(
    "finds a violation in %j",
    (name) => {
      expect(validateName("routes[0].name", name)).toMatchObject([{ field: "routes[0].name" }]);
    },
  );
});

describe("foldName", () => {
  it.each([
    ["Große", "GROSSE"],
    [" Inbox ", "inbox"],
    ["ΟΔΟΣ", "οδοσ"],
    ["e\u0301tat", "état"],
  ])("makes %j and %j one", (one, other) => {
    expect(foldName(one)).toBe(foldName(other));
  });

  it("keeps apart what looks different", () => {
    expect(foldName("①x")).not.toBe(foldName("1x"));
    expect(foldName("résumé")).not.toBe(foldName("resume"));
  });
});

it("counts characters as people do", () => {
  expect(characterCount("a😀é")).toBe(3);
});

it("folds accents and ligatures away", () => {
  expect(fold("Société STRASSE straße Œuvre")).toBe("societe strasse strasse oeuvre");
});
