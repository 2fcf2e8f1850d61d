import type { Browser } from "playwright-core";
import { chromium, describeWith } from "../programs.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { openPage, startChromium } from "../viewer/browsing.ts";
import { findViolations, openConsole } from "./opening.ts";

/** A file or response that a page has loaded. */
interface Loaded {
  readonly path: string;
  readonly startTime: number;
  readonly responseEnd: number;
  readonly size: number;
}

describeWith(chromium, "the console in Chromium", (path) => {
  const given = givenOffice();
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium(path);
  });
  afterAll(() => browser?.close());

  it("signs in with a token, which only the session of the tab keeps", async () => {
    const { url, token } = given.system;
    const { page, complaints, requested } = await openPage(browser, url, "/");
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel("Token").fill("switchyard_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("does not accept this token").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    expect(page.url()).toMatch(/\/console\/projects\/prj_\w+\/inbox$/);
    expect(await page.evaluate("JSON.stringify([localStorage, document.cookie])")).not.toContain(token);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
    expect(await page.evaluate("JSON.stringify([sessionStorage, localStorage])")).not.toContain(token);
    expect(requested.filter((each) => new URL(each).origin !== url || each.includes(token))).toEqual([]);
    // The browser reports the refused token by itself.
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
  });

  it("needs less than 350 kB for the first page, and all of it from files that browsers keep", async () => {
    const { url } = given.system;
    const html = await (await fetch(url)).text();
    const references = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file = ""]) => file);
    const assets = references.filter((file) => file.startsWith("/assets/"));
    expect(assets.length).toBeGreaterThanOrEqual(2);
    const sizes = await Promise.all(
      assets.map(async (file) => {
        const { headers } = await fetch(`${url}${file}`, { method: "GET", headers: { "accept-encoding": "gzip" } });
        expect([file, headers.get("content-encoding")]).toEqual([file, "gzip"]);
        expect(headers.get("cache-control")).toContain("immutable");
        return Number(headers.get("content-length"));
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(350_000);

    // The same in the browser, with what the first page loads besides. The code of the other pages follows when its data has arrived.
    const { page } = await openConsole(browser, url, given.system.token);
    await page.getByText("Nothing needs a review.").waitFor();
    const loaded = async (): Promise<Loaded[]> =>
      page.evaluate<Loaded[]>(
        "performance.getEntriesByType('resource').map(({ name, startTime, responseEnd, encodedBodySize: size }) =>" +
          " ({ path: new URL(name).pathname, startTime, responseEnd, size }))",
      );
    const ofDiagram = ({ path: each }: Loaded): boolean => /\/route-diagram-/.test(each);
    // Its script and its styles come last, in any order.
    const ofDiagrams = async (): Promise<number> =>
      new Set((await loaded()).filter(ofDiagram).map((each) => each.path)).size;
    await expect.poll(ofDiagrams, { timeout: 60_000 }).toBe(2);
    const all = await loaded();
    const shownAt = all.find(({ path: each }) => each.endsWith("/review"))?.responseEnd ?? 0;
    const before = all.filter(({ path: each, startTime }) => each.startsWith("/assets/") && startTime < shownAt);
    expect(before.some(({ path: each }) => /inbox-\w+\.js/.test(each))).toBe(true);
    expect(before.some(ofDiagram)).toBe(false);
    expect(before.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(350_000);
    // What is loaded is shown without another request for code.
    await page.getByRole("link", { name: "Models" }).click();
    await page.getByRole("table", { name: "Models" }).waitFor();
    const known = new Set(all.map(({ path: each }) => each));
    const later = (await loaded()).map(({ path: each }) => each).filter((each) => !known.has(each));
    expect(later.filter((each) => each.startsWith("/assets/"))).toEqual([]);
    // What was requested before the page opened counts as its call.
    await page.getByRole("button", { name: "Calls of this page" }).click();
    await page.getByText(/^GET \/api\/v1\/projects\/\w+\/deployments$/).waitFor();
  });

  it("shows the calls of a page, to be copied", async () => {
    const { page, complaints } = await openConsole(browser, given.system.url, given.system.token);
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await page.getByRole("button", { name: "Calls of this page" }).click();
    await page.getByRole("button", { name: "Copy as curl" }).first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
