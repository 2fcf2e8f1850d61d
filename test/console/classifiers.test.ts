import type { Browser } from "playwright-core";
import { chromium, describeWith } from "../programs.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { startChromium } from "../viewer/browsing.ts";
import { findViolations, openConsole } from "./opening.ts";

describeWith(chromium, "the pages about classifiers in Chromium", (path) => {
  const given = givenOffice();
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium(path);
  });
  afterAll(() => browser?.close());

  it("shows the list, the routes, the settings and the form of a route", async () => {
    const { url, token } = given.system;
    const { page, complaints } = await openConsole(
      browser,
      url,
      token,
      `/projects/${given.office.projectId}/classifiers`,
    );
    await page.getByRole("link", { name: "Accounts payable inbox" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Accounts payable inbox" }).click();
    await page.getByRole("table", { name: "Routes" }).waitFor();
    await page.getByText("Deployment of Invoices").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Add route" }).click();
    await page.getByRole("radio").first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Scope" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
