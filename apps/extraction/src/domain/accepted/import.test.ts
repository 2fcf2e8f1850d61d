import { firstViolations, maxLineViolations, readImport } from "./import.ts";

describe("an import of JSON lines", () => {
  it("can have a line with more violations than a call can have arguments", () => {
    const keys = Array.from({ length: 150_000 }, (_, index) => `"k${index}":1`);
    const { entries, violations } = readImport(
      `{"fileId":"f","values":{},${keys.join(",")}}\n{"fileId":"g","values":{}}`,
    );
    expect(entries.map(({ line, file }) => ({ line, file }))).toEqual([{ line: 2, file: { id: "g" } }]);
    expect(violations).toHaveLength(150_000);
    expect(violations.at(-1)).toEqual({ line: 1, field: "k149999", message: "is not a field of a line" });
  });
});

describe("an import of separated values", () => {
  // To compare each heading with all others would take more than ten minutes.
  it("can have very many headings", () => {
    const headings = Array.from({ length: 600_000 }, (_, index) => `h${100_000 + index}`);
    const { entries, violations } = readImport(`filename,${headings.join(",")}\na.pdf,1`);
    expect(violations).toEqual([]);
    expect(entries.map(({ line, file, modelId }) => ({ line, file, modelId }))).toEqual([
      { line: 2, file: { filename: "a.pdf" }, modelId: undefined },
    ]);
  });

  it("reports each heading once that more than one column has", () => {
    const message = "is the header of more than one column";
    expect(readImport("filename,a,b,c, c ,a,c,filename\na.pdf,1")).toEqual({
      entries: [],
      violations: ["c", "a", "filename"].map((field) => ({ line: 1, field, message })),
    });
  });

  it("finds the file and the model by their headings, wherever they are", () => {
    const text = "total,deploymentId,fileId\n1, m ,f\n2,m, f\n3,,f\n4,m\n5,m,f,6";
    const { entries, violations } = readImport(text);
    expect(entries).toMatchObject([
      { line: 2, file: { id: "f" }, modelId: "m", content: { columns: [{ heading: "total", index: 0 }] } },
      { line: 4, file: { id: "f" }, modelId: undefined },
    ]);
    expect(violations).toEqual([
      { line: 5, field: "fileId", message: "is required" },
      { line: 6, field: "", message: "must have at most 3 cells" },
    ]);
  });
});

describe("the violations of a response", () => {
  it("are the first by line, and those of a line stay in their order", () => {
    const violation = (line: number, field: string) => ({ line, field, message: "is invalid" });
    expect(
      firstViolations([violation(2, "b"), violation(2, "a"), violation(1, "c")]).map(({ field }) => field),
    ).toEqual(["c", "b", "a"]);
    const many = Array.from({ length: 3 * maxLineViolations }, (_, index) => violation(index % 2, `${index}`));
    const parts = firstViolations([...firstViolations(many.slice(0, 1_700)), ...many.slice(1_700)]);
    expect(parts).toEqual(many.filter(({ line }) => line === 0).slice(0, maxLineViolations));
  });
});
