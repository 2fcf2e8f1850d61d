import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { root } from "../processes.ts";
import { chromium, describeWith } from "../programs.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { createContext, openPage } from "../viewer/browsing.ts";
import { createProjectCaller, findViolations, givenContext, openConsole } from "./opening.ts";
import type { ProjectCaller } from "./opening.ts";

const samples = (name: string): string => join(root, "samples", name);

/** A file or response that a page has loaded. */
interface Loaded {
  readonly path: string;
  readonly startTime: number;
  readonly responseEnd: number;
  readonly size: number;
}

describeWith(chromium, "the console in Chromium", (path) => {
  const given = givenOffice();
  const browser = givenContext(path);
  let caller: ProjectCaller;
  beforeAll(async () => {
    caller = await createProjectCaller(given);
  });

  it("signs in with a token, which only the session of the tab keeps", async () => {
    const { url } = given.system;
    const { token } = caller;
    const { page, complaints, requested } = await openPage(browser.context, url, "/");
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel("Token").fill("switchyard_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("does not accept this token").waitFor();
    await page.getByLabel("Token").fill("two words");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText(/^the token contains invalid characters/).waitFor();
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
    // The browser reports the refused token on its own.
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
    const empty = await createContext(browser.context.browser()!);
    const { page } = await openConsole(empty, url, caller);
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
    await expect.poll(ofDiagrams).toBe(2);
    const all = await loaded();
    const shownAt = all.find(({ path: each }) => each.endsWith("/review"))?.responseEnd ?? 0;
    const before = all.filter(({ path: each, startTime }) => each.startsWith("/assets/") && startTime < shownAt);
    expect(before.some(({ path: each }) => /\/inbox-[\w-]+\.js/.test(each))).toBe(true);
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
    const { page, complaints } = await openConsole(browser.context, given.system.url, caller);
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await page.getByRole("button", { name: "Calls of this page" }).click();
    await page.getByRole("button", { name: "Copy as curl" }).first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

  it("tries documents, and reviews decisions by keyboard: right, another route, none, and the next one", async () => {
    const { url } = given.system;
    const { page, complaints } = await openConsole(
      browser.context,
      url,
      caller,
      `/projects/${given.office.projectId}/try-it`,
    );
    // Documents that are dropped at once are not lost while the classifiers are still being listed.
    await page.route(/\/classify\?projectId=/, async (route) => {
      await sleep(500);
      await route.continue();
    });
    await page.reload();
    await heading(page, "Try it").waitFor();
    await page
      .locator('input[type="file"]')
      .setInputFiles([samples("invoice-harbour-lane.pdf"), samples("lake-swim.pdf")]);
    const invoice = page.getByRole("article", { name: "invoice-harbour-lane.pdf" });
    await invoice.getByRole("table", { name: "Extracted values" }).waitFor();
    await invoice.getByText(/ behind\)$/).waitFor();
    const swim = page.getByRole("article", { name: "lake-swim.pdf" });
    await swim.getByRole("link", { name: "Review this decision" }).waitFor();
    const dropped = await page.evaluateHandle(
      "(() => { const data = new DataTransfer(); data.items.add(new File(['A swim'], 'dropped.txt')); return data; })()",
    );
    await page.getByText("Drop documents here").dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByRole("article", { name: "dropped.txt" }).getByRole("link").waitFor();
    expect(await findViolations(page)).toEqual([]);

    // What was decided right takes one key, and another route two. Each opens the next document.
    const press = async (...keys: string[]): Promise<void> => {
      const before = page.url();
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForURL((next) => next.href !== before);
    };
    const chosen = (name: string | RegExp) => page.getByRole("radio", { name, checked: true });
    const reviewOf = async (address: string): Promise<unknown> => {
      const [, classifierId = "", id = ""] = /classifications\/(\w+)\/(\w+)$/.exec(address) ?? [];
      return (await given.rest.get(`/api/v1/classify/${classifierId}/classifications/${id}`)).body.review;
    };
    const routes = (await given.rest.get(`/api/v1/classify/${given.office.classifier}/routes`)).body.data;
    const idOf = (wanted: string): string => routes.find(({ name }: { name: string }) => name === wanted).id;
    await invoice.getByRole("link", { name: "Review this decision" }).click();
    await page.getByRole("button", { name: "Right" }).waitFor();
    await chosen("1 · Invoice").waitFor();
    await page.getByRole("list", { name: "Words that spoke for and against it" }).first().waitFor();
    const ofInvoice = page.url();
    await press("Enter");
    expect(await reviewOf(ofInvoice)).toMatchObject({ routeId: idOf("Invoice") });
    const backTo = async (filename: string): Promise<void> => {
      await page.goBack();
      await heading(page, filename).waitFor();
    };
    await backTo("invoice-harbour-lane.pdf");
    await chosen("1 · Invoice").waitFor();
    await page.keyboard.press("2");
    await chosen("2 · Receipt").waitFor();
    await press("Enter");
    expect(await reviewOf(ofInvoice)).toMatchObject({ routeId: idOf("Receipt") });

    // The list is the first page. What was not routed is on it, and a choice by its number reviews it.
    await page.getByRole("link", { name: "Inbox" }).first().click();
    await heading(page, "Inbox").waitFor();
    await page.getByRole("table", { name: "To review" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "lake-swim.pdf" }).click();
    await page.getByRole("img", { name: "Page 1" }).waitFor();
    await page.getByText(/^Engine: local, version .*, learned from 0 documents$/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    const ofSwim = page.url();
    await press("n");
    await backTo("lake-swim.pdf");
    // Enter on a button is its own, and confirms nothing.
    await page.getByRole("button", { name: "Next document" }).focus();
    await press("Enter");
    expect(await reviewOf(ofSwim)).toBeNull();
    await backTo("lake-swim.pdf");
    await page.getByRole("radio", { name: "None of these routes" }).waitFor();
    await page.keyboard.press("0");
    await chosen(/None of these routes/).waitFor();
    await press("Enter");
    expect(await reviewOf(ofSwim)).toMatchObject({ routeId: null });

    expect(complaints).toEqual([]);
  });

  it("shows markup in names and documents as text, and runs no script", async () => {
    const { url, token } = given.system;
    const markup = "<img src=x onerror=globalThis.executed=true>";
    const { projectId, classifier } = given.office;
    const text = `INVOICE\nInvoice number: ${markup}\nInvoice date: 2026-03-01\nTotal due: 12.00\n`;
    const form = new FormData();
    form.append("file", new Blob([text]), `${markup}.txt`);
    const response = await fetch(`${url}/api/v1/classify/${classifier}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    const { id } = (await response.json()) as { id: string };
    const { page, complaints } = await openConsole(
      browser.context,
      url,
      caller,
      `/projects/${projectId}/inbox/classifications/${classifier}/${id}`,
    );
    await page.getByRole("heading", { level: 1 }).filter({ hasText: "onerror" }).waitFor();
    await page.getByRole("region", { name: "Text" }).getByText(markup).waitFor();
    await page.goto(`${url}/console/projects/${projectId}/inbox?list=classifications`);
    await page.getByText(markup).first().waitFor();
    expect(await page.evaluate("globalThis.executed")).toBeUndefined();
    // A document that comes in while the list is open appears without any action, long before the list would be requested again.
    const rows = page.getByRole("table", { name: "Classifications" }).getByRole("row");
    const before = await rows.count();
    await given.rest.post(`/api/v1/classify/${classifier}`, { text });
    await rows.nth(before).waitFor({ timeout: 120_000 });
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("tab", { name: "Extractions" }).click();
    await page.getByRole("table", { name: "Extractions" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);

    // The browser runs no script within the page, and shows the page within no other one.
    const script = "Object.assign(document.createElement('script'), { textContent: 'globalThis.executed = true' })";
    await page.evaluate(`document.head.append(${script})`);
    await expect.poll(() => complaints.join()).toContain("script-src");
    expect(await page.evaluate("globalThis.executed")).toBeUndefined();
    const around = await page.context().newPage();
    const refusal = around.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await around.setContent(`<iframe src="${url}/"></iframe>`);
    await refusal;
  });
});
