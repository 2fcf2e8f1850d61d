import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { finishedExtraction } from "../journeys/fixture.ts";
import { chromium, describeWith } from "../programs.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { accept, addFile, createValuesModel, download } from "../specification/values/testing.ts";
import { createProjectCaller, findViolations, givenContext, openConsole } from "./opening.ts";
import type { ProjectCaller } from "./opening.ts";

describeWith(chromium, "values in the console", (path) => {
  const given = givenOffice();
  const browser = givenContext(path);
  let caller: ProjectCaller;
  let modelId: string;

  beforeAll(async () => {
    caller = await createProjectCaller(given);
    modelId = await createValuesModel(given, "Purchases");
    const suppliers = ["<script>alert(1)</script>", "=HYPERLINK(1)", "Müller & Söhne"];
    for (const [index, supplier] of suppliers.entries()) {
      const parts = Array.from({ length: index === 2 ? 60 : 1 }, (_, row) => ({ part: `part ${row}` }));
      const fileId = await addFile(given, `purchase-${index}.txt`, `Supplier: ${supplier}\nTotal: ${index}`);
      await accept(given, fileId, modelId, { supplier, note: null, total: index, paid: true }, parts);
    }
    // A file that is extracted, and that nobody has looked at.
    const open = await addFile(given, "open.txt", "Supplier: <b>Harbour</b>\nTotal: 12.50");
    const started = given.rest.post(`/api/v1/deployments/${modelId}/extractions`, { fileId: open });
    await finishedExtraction(given.rest, (await getBody(started, 201)).id);
  });

  const rows = (page: Page) => page.getByRole("table", { name: "Values" }).getByRole("row");

  it("are printed with all columns and nothing above them, and move nothing if that is asked for", async () => {
    const { system, office } = given;
    const address = `/projects/${office.projectId}/values?model=${modelId}`;
    const { page } = await openConsole(browser.context, system.url, caller, address);
    await expect.poll(() => rows(page).count()).toBe(5);
    const find = (condition: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll("body *")].filter((element) => {
          const style = getComputedStyle(element);
          return ${condition};
        }).map(({ outerHTML }) => outerHTML.slice(0, 100))`,
      );
    const clips =
      'style.overflowX !== "visible" && element.querySelector("table") && element.scrollWidth > element.clientWidth';
    const moves = 'style.transitionDuration !== "0s" || style.animationName !== "none"';
    await page.setViewportSize({ width: 400, height: 600 });
    expect(await find(clips)).not.toEqual([]);
    await page.emulateMedia({ media: "print", reducedMotion: "reduce" });
    expect(await find(clips)).toEqual([]);
    expect(await page.getByRole("banner").isVisible()).toBe(false);
    expect(await find(moves)).toEqual([]);
  });

  it("are listed with filters that a reload keeps, and downloaded with the same filters", async () => {
    const { system, office } = given;
    const address = `/projects/${office.projectId}/values?model=${modelId}`;
    const { page, complaints } = await openConsole(browser.context, system.url, caller, address);
    await expect.poll(() => rows(page).count()).toBe(5);
    await rows(page).filter({ hasText: "<script>alert(1)</script>" }).getByText("Accepted").waitFor();
    expect(await rows(page).filter({ hasText: "open.txt" }).getByRole("link").getAttribute("href")).toMatch(
      /^\/console\/projects\/prj_\w+\/inbox\/extractions\/ext_\w+$/,
    );
    expect(await findViolations(page)).toEqual([]);

    await page.getByRole("searchbox", { name: "Search" }).fill("muller");
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByRole("searchbox", { name: "Search" }).fill("purchase");
    await expect.poll(() => rows(page).count()).toBe(4);
    await page.getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: "Accepted" }).click();
    await page.waitForURL(/status=ACCEPTED/);
    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(4);
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("purchase");

    for (const [format, label] of [
      ["CSV", "CSV"],
      ["JSONL", "JSON lines"],
      ["XLSX", "Excel workbook"],
    ] as const) {
      await page.getByRole("button", { name: "Download all rows" }).click();
      const [offered] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: label }).click(),
      ]);
      expect(offered.suggestedFilename()).toBe(`purchases.${format.toLowerCase()}`);
      const expected = await download(
        given,
        `/api/v1/deployments/${modelId}/values:export?format=${format}&status=ACCEPTED&search=purchase`,
      );
      const bytes = await readFile(await offered.path());
      // A workbook has the time of its creation.
      if (format === "XLSX") expect(bytes.subarray(0, 2).toString()).toBe("PK");
      else expect(bytes.toString()).toBe(expected.bytes.toString());
    }
    await page.getByText(/purchases\.xlsx is complete/).waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await expect.poll(() => rows(page).count()).toBe(5);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findViolations(page)).toEqual([]);

    // Markup in a value and its quote is text.
    await rows(page).filter({ hasText: "open.txt" }).getByRole("link").click();
    const field = page.getByLabel("Supplier");
    await field.waitFor();
    expect(await field.inputValue()).toBe("<b>Harbour</b>");
    await page.getByRole("region", { name: "Text" }).locator("mark").filter({ hasText: "<b>Harbour</b>" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("have pages, and are extracted again", async () => {
    const { system, office } = given;
    const address = `/projects/${office.projectId}/values?model=${modelId}&table=parts`;
    const { page, complaints } = await openConsole(browser.context, system.url, caller, address);
    await expect.poll(() => rows(page).count()).toBe(51);
    // An export that takes long can be cancelled.
    await page.route(/limit=500/, () => undefined);
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.getByRole("menuitem", { name: "Download as CSV" }).click();
    await page.getByRole("button", { name: "Cancel the export" }).click();
    await page.getByRole("button", { name: "Cancel the export" }).waitFor({ state: "detached" });
    await page.unroute(/limit=500/);
    // An export has all rows, including those that are not shown yet.
    await page.getByRole("button", { name: "Export", exact: true }).click();
    const [exported] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Download as CSV" }).click(),
    ]);
    expect(await readFile(await exported.path(), "utf8")).toContain("purchase-0.txt");
    await page.getByRole("button", { name: "Show more" }).click();
    await rows(page).filter({ hasText: "purchase-0.txt" }).first().waitFor();

    await page.getByRole("button", { name: "Extract all again" }).click();
    const dialog = page.getByRole("dialog", { name: "Extract all again" });
    await dialog.getByText("Accepted values stay as they are").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Extract" }).click();
    await page.getByText("Extraction is completed: 4 of 4 files extracted").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Hide" }).click();
    await page.waitForURL((url) => !url.searchParams.has("job"));
    expect(complaints).toEqual([]);
  });
});
