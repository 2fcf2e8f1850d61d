import { publicServices } from "@switchyard/gateway";
import { createRoutes } from "@switchyard/rest";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/architecture.md"), "utf8");

/** The rows of the table of endpoints: methods and paths, and the file that implements them. */
const rows = [...page.matchAll(/^\| ((?:[A-Z, ]+ `[^`]+`(?:<br>)?)+) +\| `([^`]+)`/gm)].map(
  ([, endpoints = "", file = ""]) => ({
    endpoints: endpoints.split("<br>").flatMap((each) => {
      const [methods = "", path = ""] = each.trim().split(" `");
      return methods.split(", ").map((method) => `${method} ${path.replace("`", "")}`);
    }),
    file: join(root, "apps", file),
  }),
);

describe("docs/architecture.md", () => {
  it("names the file of every endpoint, and only endpoints that exist", () => {
    const routes = createRoutes(publicServices.map(({ service }) => service));
    const faults = routes.flatMap(({ httpMethod, path, method }) => {
      const endpoint = `${httpMethod} ${path.replace("/api/v1", "").replaceAll(/\{[^}]+\}/g, "{id}")}`;
      const [row, ...others] = rows.filter(({ endpoints }) => endpoints.includes(endpoint));
      if (row === undefined || others.length > 0)
        return [`${endpoint} is in ${row === undefined ? "no row" : "several rows"}`];
      const isThere = existsSync(row.file) && readFileSync(row.file, "utf8").includes(method.localName);
      return isThere ? [] : [`${endpoint} (${method.name}) is not in ${row.file}`];
    });
    expect(faults).toEqual([]);
    expect(rows.flatMap(({ endpoints }) => endpoints)).toHaveLength(routes.length);
  });
});

describe("pages", () => {
  const skipped = /(^|\/)(node_modules|dist|\.nx|\.git)(\/|$)/;
  const files = globSync("**/*", { cwd: root, exclude: (path) => skipped.test(path) });
  const pages = files.filter((path) => path.endsWith(".md"));
  const names = new Set(files.map((path) => basename(path)));

  it("name folders and files that exist", () => {
    const missing = pages.flatMap((path) => {
      const named = [...readFileSync(join(root, path), "utf8").matchAll(/`([\w./-]+)`/g)].map(([, name = ""]) => name);
      const isMissing = (name: string): boolean =>
        /^(apps|libs|test|proto|docs|samples)\/(?!.*(^|\/)dist$)/.test(name)
          ? !existsSync(join(root, name))
          : /\w\.ts$/.test(name) && !/^x\./.test(name) && !names.has(basename(name));
      return named.filter(isMissing).map((name) => `${path}: ${name}`);
    });
    expect(pages.length).toBeGreaterThan(40);
    expect(missing).toEqual([]);
  });

  it("link to files that exist", () => {
    const broken = pages.flatMap((path) => {
      const links = [...readFileSync(join(root, path), "utf8").matchAll(/\]\((?!https?:|mailto:)([^)#\s]+)/g)];
      return links.map(([, link = ""]) => link).filter((link) => !existsSync(join(root, dirname(path), link)));
    });
    expect(broken).toEqual([]);
  });
});
