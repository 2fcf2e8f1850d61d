import { findDates } from "./dates.ts";

describe("the dates of a text", () => {
  it("are in its order, whatever their forms, and of two that overlap the one with the name of a month is taken", () => {
    const text = "20240131, 3 May 2020 May 4, 2021 and 05.06.2022, 07/13/2023; 99.99.2020";
    expect(findDates(text, "day-first").map(({ start, end, value }) => [text.slice(start, end), value])).toEqual([
      ["20240131", "2024-01-31"],
      ["3 May 2020", "2020-05-03"],
      ["May 4, 2021", "2021-05-04"],
      ["05.06.2022", "2022-06-05"],
      ["07/13/2023", "2023-07-13"],
    ]);
    expect(findDates("3 May 20.05.2020", "day-first").map(({ value }) => value)).toEqual(["2020-05-20"]);
    expect(findDates("1 May 2020 2020", "day-first").map(({ value }) => value)).toEqual(["2020-05-01"]);
  });

  it.each([
    ["01.02.2024-29.02.2024", ["2024-02-01", "2024-02-29"]],
    ["01/02/24-29/02/24", ["2024-02-01", "2024-02-29"]],
    ["01.02.-29.02.2024", []],
    ["4711-01.02.2024", []],
    ["01.02.2024-5", []],
    ["12-34-5678-01.02.2024", []],
  ])("may be joined by a hyphen to a range, but not to other digits: %s", (text, days) => {
    expect(findDates(text, "day-first").map(({ value }) => value)).toEqual(days);
  });

  it("are found in a time that grows with the length of the text only", () => {
    const started = performance.now();
    expect(findDates("01.02.2020 ".repeat(200_000), "day-first")).toHaveLength(200_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
