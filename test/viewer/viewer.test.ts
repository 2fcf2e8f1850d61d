import type { Browser, BrowserContextOptions } from "playwright-core";
import { chromium, describeWith } from "../programs.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { createContext, openPage, startChromium } from "./browsing.ts";
import type { WatchedPage } from "./browsing.ts";

/** What a script in the markup, an image and a request of injected code would do. */
const intrusion = `
const script = document.createElement("script");
script.textContent = "globalThis.executed = true";
const image = document.createElement("img");
image.src = "https://images.example/a.png";
document.body.append(script, image);
fetch("https://telemetry.example/").catch(() => undefined);
`;

describeWith(chromium, "the viewer of the API at /docs in Chromium", (path) => {
  const given = givenOffice();
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium(path);
  });
  afterAll(() => browser?.close());

  /** Opens the viewer and waits until it shows the operations. */
  async function openViewer(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const watched = await openPage(await createContext(browser, options), given.system.url, "/docs");
    await watched.page.locator(".opblock").first().waitFor();
    return watched;
  }

  const isForeign = (url: string): boolean => new URL(url).origin !== given.system.url;

  it("shows every operation, loads nothing from other hosts, and has a policy that blocks those and scripts in the markup", async () => {
    const { page, requested, complaints } = await openViewer();
    const { paths } = (await given.rest.get("/openapi.json")).body;
    const operations = Object.values<object>(paths).flatMap((path) => Object.keys(path));
    expect(operations.length).toBeGreaterThan(60);
    expect(await page.locator(".opblock").count()).toBe(operations.length);
    // Opens an operation with a body, whose examples and schemas are rendered then.
    await page.locator("#operations-ClassifierService-ClassifierService_CreateClassifier button").first().click();
    await page.getByText("Example Value").first().waitFor();
    await page
      .getByRole("button", { name: /schema/i })
      .first()
      .click();
    await page.waitForLoadState("networkidle");
    expect(requested.length).toBeGreaterThanOrEqual(6);
    expect(requested.filter(isForeign)).toEqual([]);
    expect(complaints).toEqual([]);

    await page.evaluate(intrusion);
    expect(await page.evaluate("globalThis.executed")).toBeUndefined();
    // Blocked requests are recorded, so the check above would notice one.
    expect(requested.filter(isForeign)).toEqual(["https://images.example/a.png"]);
    const violations = complaints.filter((text) => text.startsWith("violates "));
    expect(violations.sort()).toEqual([
      "violates connect-src: https://telemetry.example/",
      "violates img-src: https://images.example/a.png",
      "violates script-src-elem: inline",
    ]);
  });

  it("sends a request with a token, and keeps the token only until the page is left", async () => {
    const { page, requested, complaints } = await openViewer();
    await page.getByRole("button", { name: "Authorize" }).click();
    await page.locator(".auth-container input").fill(given.system.token);
    await page.locator(".auth-container").getByRole("button", { name: "Apply credentials" }).click();
    await page.getByRole("button", { name: "Close" }).first().click();
    const operation = page.locator("#operations-IdentityService-IdentityService_GetMe");
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).click();
    const response = operation.locator(".live-responses-table tbody .response");
    await response.waitFor();
    expect(await response.locator(".response-col_status").innerText()).toMatch(/^200/);
    expect(await response.locator(".response-col_description").innerText()).toContain('"name": "Ada"');
    expect(requested).toContain(`${given.system.url}/api/v1/me`);
    expect(requested.filter(isForeign)).toEqual([]);
    expect(complaints).toEqual([]);
    const stored = await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])");
    expect(stored).not.toContain(given.system.token);
  });

  it("fits a narrow screen, and is operated by the keyboard", async () => {
    const { page } = await openViewer({ viewport: { width: 360, height: 740 } });
    const getWidths = (): Promise<number[]> =>
      page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
    const [all = 0, visible = 0] = await getWidths();
    expect(all).toBeLessThanOrEqual(visible);

    const control = page.locator("#operations-IdentityService-IdentityService_GetMe .opblock-summary-control");
    const focused = page.locator(":focus").and(control);
    const isFocused = async (): Promise<boolean> => (await focused.count()) === 1;
    for (let presses = 0; presses < 30 && !(await isFocused()); presses += 1) await page.keyboard.press("Tab");
    expect(await isFocused()).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Try it out" }).waitFor();
    expect(await control.getAttribute("aria-expanded")).toBe("true");

    const another = "#operations-ClassifierService-ClassifierService_CreateClassifier";
    await page.locator(`${another} .opblock-summary-control`).click();
    await page.getByText("Example Value").first().waitFor();
    const [opened = 0] = await getWidths();
    expect(opened).toBeLessThanOrEqual(visible);
  });

  it("leads to the description without JavaScript", async () => {
    const context = await createContext(browser, { javaScriptEnabled: false });
    const { page } = await openPage(context, given.system.url, "/docs");
    expect(await page.locator("body").innerText()).toContain("This page needs JavaScript.");
    await page.getByRole("link", { name: "JSON document" }).click();
    expect(page.url()).toBe(`${given.system.url}/openapi.json`);
  });
});
