import { learnForm, write } from "./form.ts";

describe("the form of accepted texts", () => {
  const example = (line: string) => ({ lines: [line], before: "", after: "", value: line });
  const printed = (count: number, text: string) =>
    Array.from({ length: count }, () => ({ form: example(text), accepted: text }));

  it("is in capital letters if all of many accepted texts are, although the documents print them so", () => {
    const form = learnForm([...printed(20, "HARBOUR LANE 14"), ...printed(2, "14")]);
    expect(write(example("Mill Lane 4"), form)).toBe("MILL LANE 4");
  });

  it.each([
    ["few texts", printed(19, "HARBOUR LANE 14")],
    ["other texts among them", [...printed(20, "HARBOUR LANE 14"), ...printed(1, "Mill Lane 4")]],
  ])("is as printed with %s", (_, examples) => {
    expect(write(example("Mill Lane 4"), learnForm(examples))).toBe("Mill Lane 4");
  });
});
