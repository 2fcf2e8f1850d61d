import { firstViolations, maxLineViolations, readImport } from "./import.ts";
import type { ImportReading } from "./import.ts";

function read(text: string): ImportReading {
  const reading = readImport(text);
  if ("excess" in reading) throw new Error(reading.excess);
  return reading;
}

describe("an import of JSON lines", () => {
  it("has no more violations of a line than a response reports", () => {
    const keys = Array.from({ length: 150_000 }, (_, index) => `"k${index}":1`);
    const invalid = `{"fileId":"f","values":{},${keys.join(",")}}`;
    const { entries, violations } = read(`${invalid}\n{"fileId":"g","values":{}}\n${invalid}\n{}`);
    expect(entries.map(({ line, file }) => ({ line, file }))).toEqual([{ line: 2, file: { id: "g" } }]);
    expect(violations).toHaveLength(maxLineViolations + 2);
    expect(violations[999]).toEqual({ line: 1, field: "k999", message: "is not a field of a line" });
    expect(violations.slice(maxLineViolations).map(({ line }) => line)).toEqual([3, 4]);
  });

  it("has at most 5,000 lines, valid or not", () => {
    const excess = "must have values for at most 5000 files";
    expect(read(`${"{x\n\n".repeat(5_000)}`).violations).toHaveLength(5_000);
    expect(readImport("{x\n".repeat(5_001))).toEqual({ excess });
    expect(readImport('{"fileId":"f","values":{}}\n'.repeat(5_001))).toEqual({ excess });
  });
});

describe("an import of separated values", () => {
  // To compare each heading with all others would take more than ten minutes.
  it("can have very many headings", () => {
    const headings = Array.from({ length: 600_000 }, (_, index) => `h${100_000 + index}`);
    const { entries, violations } = read(`filename,${headings.join(",")}\na.pdf,1`);
    expect(violations).toEqual([]);
    expect(entries.map(({ line, file, modelId }) => ({ line, file, modelId }))).toEqual([
      { line: 2, file: { filename: "a.pdf" }, modelId: undefined },
    ]);
  });

  it("reports each heading once that more than one column has", () => {
    const message = "is the header of more than one column";
    expect(read("filename,a,b,c, c ,a,c,filename\na.pdf,1")).toEqual({
      columns: [],
      entries: [],
      violations: ["c", "a", "filename"].map((field) => ({ line: 1, field, message })),
    });
  });

  it("finds the file and the model by their headings, wherever they are", () => {
    const text = "total,deploymentId,fileId\n1, m ,f\n2,m, f\n3,,f\n4,m\n5,m,f,6";
    const { entries, violations, columns } = read(text);
    expect(columns).toEqual([{ heading: "total", index: 0 }]);
    expect(entries).toMatchObject([
      { line: 2, file: { id: "f" }, modelId: "m" },
      { line: 4, file: { id: "f" }, modelId: undefined },
    ]);
    expect(violations).toEqual([
      { line: 5, field: "fileId", message: "is required" },
      { line: 6, field: "", message: "must have at most 3 cells" },
    ]);
  });

  it("has at most 5,000 files and 200,000 records", () => {
    const records = (files: number, each: number) =>
      `total,fileId\n${Array.from({ length: files }, (_, index) => `1,f${index}\n`.repeat(each)).join("")}`;
    expect(read(records(5_000, 40)).entries).toHaveLength(5_000);
    expect(readImport(records(5_001, 1))).toEqual({ excess: "must have values for at most 5000 files" });
    expect(readImport(`${records(1, 200_000)},f`)).toEqual({ excess: "must have at most 200000 records" });
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
