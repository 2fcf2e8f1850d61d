import type { Page } from "playwright-core";
import { chromium, describeWith } from "../programs.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { createContext } from "../viewer/browsing.ts";
import { givenContext, moveTo, openConsole } from "./opening.ts";

describeWith(chromium, "the console by keyboard, and in small windows", (path) => {
  const given = givenOffice();
  const browser = givenContext(path);
  const open = (address: string) =>
    openConsole(browser.context, given.system.url, given.system.token, `/projects/${given.office.projectId}${address}`);

  beforeAll(async () => {
    const { rest, office } = given;
    const items = Array.from({ length: 60 }, (_, index) => ({
      text: `Nothing in particular ${index}`,
      extract: false,
    }));
    await getBody(rest.post(`/api/v1/classify/${office.classifier}:batchClassify`, { items }), 200);
  });

  it("starts pages at their top with the keyboard on them, and leaves it where it is within a page", async () => {
    const { page, complaints } = await open("/inbox?list=classifications");
    const focused = () => page.evaluate<string>("document.activeElement.id || document.activeElement.textContent");
    const scrolled = () => page.evaluate<number>("scrollY");
    const last = page.getByRole("row").last().getByRole("link");
    await expect.poll(() => page.getByRole("row").count()).toBe(51);
    // A small window, so that the next page is higher than it, too.
    await page.setViewportSize({ width: 1_000, height: 300 });
    await last.scrollIntoViewIfNeeded();
    const before = await scrolled();
    expect(before).toBeGreaterThan(500);
    await last.press("Enter");
    await page.getByRole("radio", { name: "None of these routes" }).waitFor();
    expect(await focused()).toBe("content");
    expect(await scrolled()).toBe(0);
    // The same for the next page of the review list, and for a page of the navigation whose code was loaded before.
    const first = page.url();
    await page.getByRole("button", { name: "Next document" }).press("Enter");
    await page.waitForURL((url) => url.href !== first);
    await page.getByRole("radio", { name: "None of these routes" }).waitFor();
    expect(await focused()).toBe("content");
    await page.getByRole("link", { name: "Models" }).press("Enter");
    await page.getByRole("table", { name: "Models" }).waitFor();
    expect(await focused()).toBe("content");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("New model");

    await page.goto(`${given.system.url}/console/administration/projects`);
    const users = page.getByRole("link", { name: "Users" });
    await users.press("Enter");
    await page.getByRole("table", { name: "Users" }).waitFor();
    expect(await focused()).toBe("Users");
    expect(await page.title()).toBe("Users · Administration · Switchyard");
    expect(complaints).toEqual([]);
  });

  it("shows a list as it was left when the browser goes back to it", async () => {
    const { page, complaints } = await open("/inbox?list=classifications");
    const rows = page.getByRole("row");
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(51);
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(61);
    await page.setViewportSize({ width: 1_000, height: 300 });
    const last = rows.last().getByRole("link");
    await last.scrollIntoViewIfNeeded();
    await last.focus();
    const scrolled = () => page.evaluate<number>("scrollY");
    const before = await scrolled();
    await page.keyboard.press("Enter");
    await page.getByRole("radio", { name: "None of these routes" }).waitFor();
    await page.evaluate("history.back()");
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(61);
    await expect.poll(scrolled, { timeout: 60_000 }).toBe(before);
    // A new visit begins with the first rows.
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Models" }).click();
    await page.getByRole("table", { name: "Models" }).waitFor();
    await moveTo(page, `/projects/${given.office.projectId}/inbox?list=classifications`);
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(51);
    expect(complaints).toEqual([]);
  });

  it("names what can be scrolled, and scrolls it by keyboard", async () => {
    const { page } = await open("/inbox?list=classifications");
    await page.setViewportSize({ width: 320, height: 800 });
    const scrolling = page.getByRole("group").filter({ has: page.getByRole("table") });
    await scrolling.getByRole("row").first().waitFor();
    const [name, ofTable] = await Promise.all(
      [scrolling, scrolling.getByRole("table")].map((each) => each.getAttribute("aria-label")),
    );
    expect(name).toBeTruthy();
    expect(name).toBe(ofTable);
    await scrolling.focus();
    const isScrollable = `(({ scrollWidth, clientWidth }, { overflowX }) => scrollWidth > clientWidth && overflowX !== "hidden")(
      document.activeElement, getComputedStyle(document.activeElement))`;
    await expect.poll(() => page.evaluate(isScrollable), { timeout: 60_000 }).toBe(true);
    await page.keyboard.press("ArrowRight");
    await expect
      .poll(() => scrolling.evaluate((element) => element.scrollLeft), { timeout: 60_000 })
      .toBeGreaterThan(0);
  });

  it("hides nothing that has the focus under the header", async () => {
    const { page } = await open("/inbox?list=classifications");
    await expect.poll(() => page.getByRole("row").count()).toBe(51);
    await page.setViewportSize({ width: 1_000, height: 300 });
    await page.getByRole("button", { name: "Show more" }).focus();
    const hidden: unknown[] = [];
    for (let step = 0; step < 30; step += 1) {
      await page.keyboard.press("Shift+Tab");
      const place = await page.evaluate<number[]>(
        "[document.activeElement.getBoundingClientRect().top, document.querySelector('header').getBoundingClientRect().bottom]",
      );
      if (place[0]! < place[1]!) hidden.push(place);
    }
    expect(hidden).toEqual([]);
  });

  it("does nothing by single keys after they were turned off, also in another tab", async () => {
    const context = await createContext(browser.context.browser()!);
    const { rest, office, system } = given;
    const { id } = await getBody(
      rest.post(`/api/v1/classify/${office.classifier}`, { text: "Nothing in particular", extract: false }),
      201,
    );
    const address = `/projects/${office.projectId}/inbox/classifications/${office.classifier}/${id}`;
    const { page } = await openConsole(context, system.url, system.token, address);
    // Of the routes, and not of the ways to look at the document.
    const checked = (shown: Page) =>
      shown.getByRole("radiogroup", { name: "Correct route" }).getByRole("radio", { checked: true });
    await page.getByRole("radio", { name: "None of these routes" }).waitFor();
    await page.keyboard.press("1");
    await checked(page).waitFor();
    await page.getByRole("switch", { name: "Single keys act on this page" }).press("Space");
    await page.reload();
    await page.getByRole("radio", { name: "None of these routes" }).waitFor();
    const another = await openConsole(context, system.url, system.token, address);
    await another.page.getByRole("radio", { name: "None of these routes" }).waitFor();
    for (const each of [page, another.page]) {
      for (const key of ["1", "0", "n", "Enter"]) await each.keyboard.press(key);
      expect(each.url()).toContain(id);
      expect(await checked(each).count()).toBe(0);
    }
    const record = await getBody(rest.get(`/api/v1/classify/${office.classifier}/classifications/${id}`), 200);
    expect(record.review).toBeNull();
    await context.close();
  });

  it("goes to the next extraction on a Mac, where Alt+N types a character", async () => {
    const record = await getBody(
      given.rest.post(`/api/v1/classify/${given.office.classifier}`, { text: "INVOICE\nTotal due: 12.50" }),
      201,
    );
    const { page } = await open(`/inbox/extractions/${record.extraction.id}`);
    await page.getByRole("button", { name: /^Accept/ }).waitFor();
    await page.evaluate(
      "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Dead', code: 'KeyN', altKey: true, bubbles: true }))",
    );
    await page.waitForURL((url) => !url.href.endsWith(record.extraction.id));
  });

  it("offers in a small or enlarged window what it offers in a large one", async () => {
    const { page } = await open("/models");
    await page.getByRole("table", { name: "Models" }).waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole("button", { name: "Show or hide the pages" }).click();
    await page.getByRole("link", { name: "API reference" }).waitFor();
    await page.getByRole("button", { name: "Calls of this page" }).click();
    const copy = page.getByRole("button", { name: "Copy as curl" }).first();
    await copy.waitFor();
    const box = await copy.boundingBox();
    expect(box!.x).toBeGreaterThanOrEqual(0);
    expect(box!.x + box!.width).toBeLessThanOrEqual(320);
  });

  it("keeps the page when a file is dropped beside the place for it", async () => {
    const { page } = await open("/try-it");
    await page.getByText("Drop documents here").waitFor();
    const isRefused = await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["A letter"], "letter.txt"));
      return ["dragover", "drop"].map((name) =>
        !document.querySelector("h1").dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true })),
      );
    })()`);
    expect(isRefused).toEqual([true, true]);
    expect(await page.getByRole("article").count()).toBe(0);
  });
});
