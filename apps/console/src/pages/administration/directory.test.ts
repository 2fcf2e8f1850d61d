import { toChoices } from "./directory.ts";

describe("choices of named things", () => {
  it("distinguish equal names, and keep what the caller cannot see", () => {
    const items = [
      { id: "team_1", name: "Office" },
      { id: "team_2", name: "Office" },
      { id: "team_3", name: "Everyone" },
    ];
    expect(toChoices(items, ["team_3", "team_9"])).toEqual([
      { value: "team_1", label: "Office (team_1)" },
      { value: "team_2", label: "Office (team_2)" },
      { value: "team_3", label: "Everyone" },
      { value: "team_9", label: "team_9" },
    ]);
  });

  it("are listed in time for the users of a large organization", () => {
    const users = Array.from({ length: 200_000 }, (_, index) => ({ id: `usr_${index}`, name: `User ${index}` }));
    expect(toChoices(users, []).length).toBe(users.length);
  });
});
