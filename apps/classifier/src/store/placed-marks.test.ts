import { createPlacedMarks } from "./placed-marks.ts";

describe("the marks of placed documents", () => {
  it("are written together, and at once if there are a hundred", async () => {
    const written: string[][] = [];
    const marks = createPlacedMarks(
      (ids) => Promise.resolve(written.push(ids)),
      () => undefined,
      10,
    );
    for (let each = 0; each < 103; each += 1) marks.add(`cls_${each}`);
    expect(written.map(({ length }) => length)).toEqual([100]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(written.map(({ length }) => length)).toEqual([100, 3]);
    expect(written.flat()).toEqual(Array.from({ length: 103 }, (_, each) => `cls_${each}`));
  });

  it("are written by a flush, which waits for them and reports failures", async () => {
    const errors: unknown[] = [];
    const failure = new Error("unavailable");
    const marks = createPlacedMarks(
      () => Promise.reject(failure),
      (error) => errors.push(error),
      60_000,
    );
    marks.add("cls_1");
    await marks.flush();
    await marks.flush();
    expect(errors).toEqual([failure]);
  });
});
