import { characterCount, validateName, fold, foldName } from "./index.ts";

describe("validateName", () => {
  it.each(["a", " a ", "n".repeat(120), "😀".repeat(120), "Größe & Söhne – 北京", "a\u200db"])("accepts %j", (name) => {
    expect(validateName("name", name)).toEqual([]);
  });

  it.each(["", "  ", "\u200b", "\u00a0\u200b", "n".repeat(121), "😀".repeat(121), "a\u0000b", "a\nb", "abc\u202edef"])(
    "rejects %j",
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
  ])("returns the same for %j and %j", (one, other) => {
    expect(foldName(one)).toBe(foldName(other));
  });

  it("returns different results for names that look different", () => {
    expect(foldName("①x")).not.toBe(foldName("1x"));
    expect(foldName("résumé")).not.toBe(foldName("resume"));
  });
});

it("characterCount counts code points", () => {
  expect(characterCount("a😀é")).toBe(3);
});

it("fold removes accents and ligatures", () => {
  expect(fold("Société STRASSE straße Œuvre")).toBe("societe strasse strasse oeuvre");
});
