import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const page = readFileSync(join(folder, "README.md"), "utf8");

/** Returns the links to files in a text, each with the quoted titles that follow it. */
function getLinks(text: string): { file: string; titles: string[] }[] {
  return [...text.matchAll(/\]\(([^)]+)\)([^[]*)/g)].map(([, file = "", after = ""]) => ({
    file,
    titles: [...after.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
  }));
}

describe("the table of contents", () => {
  it("names every test file, and only files that exist", () => {
    const listed = getLinks(page).map(({ file }) => file);
    const tests = readdirSync(folder, { encoding: "utf8", recursive: true }).filter((name) =>
      /\.(test|suite)\.ts$/.test(name),
    );
    expect(tests.filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  });

  const rows = new Map([...page.matchAll(/^\| (\d+) +\|(.*)$/gm)].map(([, number, row = ""]) => [Number(number), row]));

  it.each(Array.from({ length: 24 }, (_, index) => index + 1))("names existing tests of guard rail %i", (number) => {
    const links = getLinks(rows.get(number) ?? "");
    const titles = links.flatMap(({ file, titles }) => titles.map((title) => ({ file, title })));
    expect(titles).not.toEqual([]);
    const missing = titles.filter(({ file, title }) => !readFileSync(join(folder, file), "utf8").includes(title));
    expect(missing).toEqual([]);
  });
});
