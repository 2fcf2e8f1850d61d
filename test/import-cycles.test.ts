import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import typescript from "typescript";

const root = join(import.meta.dirname, "..");

/** The source files of the workspace with the files that each imports by a relative path, types included. */
function readImports(): Map<string, string[]> {
  const files = globSync("{apps,libs,test,samples}/**/*.{ts,tsx}", {
    cwd: root,
    exclude: (name) => ["node_modules", "dist", "gen"].includes(name),
  });
  return new Map(
    files.map((file) => {
      const { importedFiles } = typescript.preProcessFile(readFileSync(join(root, file), "utf8"));
      const own = importedFiles.filter(({ fileName }) => fileName.startsWith("."));
      return [file, own.map(({ fileName }) => relative(root, join(root, dirname(file), fileName)))];
    }),
  );
}

/** Returns a cycle of imports as a list of files, or undefined if there is none. */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (finished.has(file)) return undefined;
    for (const imported of imports.get(file) ?? []) {
      const cycle = visit(imported, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe("import cycles", () => {
  it("no file is part of an import cycle, type imports included", () => {
    const imports = readImports();
    expect(imports.size).toBeGreaterThan(500);
    expect(findCycle(imports)).toBeUndefined();
  });

  it("an import cycle is found", () => {
    const imports = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["c", []],
      ["d", ["b"]],
    ]);
    expect(findCycle(imports)).toEqual(["b", "d", "b"]);
  });
});
