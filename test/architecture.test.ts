import { publicServices } from "@switchyard/gateway";
import { createRoutes } from "@switchyard/rest";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

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

  it("names folders and files that exist", () => {
    const named = [...page.matchAll(/`((?:apps|libs|test|proto)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
