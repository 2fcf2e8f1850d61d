import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { root } from "./processes.ts";

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const namesOf = (dependencies: Record<string, string> = {}): string[] => Object.keys(dependencies);

const tools = namesOf((JSON.parse(read("package.json")) as Manifest).devDependencies);
const packages = globSync(["libs/*/package.json", "apps/*/package.json", "test/package.json"], { cwd: root });
const development =
  /^test\/|^libs\/packaging\/|\/testing\/|\/generator\/|\/generate-[\w-]+\.ts$|\/(?:build|vite\.config)\.ts$|\.(test|suite)\.ts$/;

/** The packages that a module imports; `@switchyard/rpc/testing` belongs to `@switchyard/rpc`. */
function getImports(source: string): string[] {
  const imports =
    /^(?:import|export)\b[^;"'`=]*? from "([^".][^"]*)";$|^import "([^".][^"]*)";$|\bimport\("([^".][^"]*)"\)/gm;
  return [...source.matchAll(imports)]
    .map(([, name = "", bare = "", late = ""]) => name || bare || late)
    .filter((name) => name !== "" && !isBuiltin(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}

/** The imports of a package that its manifest does not declare. Tests and builds may also use the tools of the workspace. */
function getUndeclared(manifestFile: string): string[] {
  const folder = dirname(manifestFile);
  const { name, dependencies, devDependencies } = JSON.parse(read(manifestFile)) as Manifest;
  const declared = namesOf(dependencies);
  const inDevelopment = [...declared, ...namesOf(devDependencies), ...tools];
  return globSync([`${folder}/**/*.{ts,tsx}`], { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] }).flatMap(
    (file) => {
      // A package may import itself by its name.
      const known = new Set([name, ...(development.test(file) ? inDevelopment : declared)]);
      return getImports(read(file)).flatMap((imported) => (known.has(imported) ? [] : [`${file}: ${imported}`]));
    },
  );
}

describe("the packages of the workspace", () => {
  it("are installed without reports to the vendor of a package, which the settings of @scarf/scarf turn off", () => {
    expect(JSON.parse(read("package.json")).scarfSettings).toEqual({ enabled: false, skipTraversal: true });
  });

  it("are found with their imports", () => {
    expect(packages.length).toBeGreaterThan(20);
    expect(
      getImports('import { a } from "@switchyard/rpc/testing";\nimport "mongoose";\nimport x from "./x.ts";'),
    ).toEqual(["@switchyard/rpc", "mongoose"]);
  });

  it.each(packages)("declare what they import: %s", (manifest) => {
    expect(getUndeclared(manifest)).toEqual([]);
  });
});
