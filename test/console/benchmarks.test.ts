import { startEndpoint } from "@switchyard/engines/testing";
import type { Locator, Page } from "playwright-core";
import { sample } from "../journeys/fixture.ts";
import { chromium, describeWith } from "../programs.ts";
import { acceptedInvoice, finishedExecution } from "../specification/testing/benchmarks.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { createProjectCaller, findDialogViolations, findViolations, givenContext, openConsole } from "./opening.ts";
import type { ProjectCaller } from "./opening.ts";

/** The columns of a version of the configuration. The local engine finds a value by the name of its column. */
const columns = (handle: string, figure: string, synonyms: string[] = []): object[] => [
  { table: "invoice", slug: "handle", name: handle },
  { table: "invoice", slug: "figure", name: figure, type: "NUMBER", synonyms },
  { table: "invoice", slug: "invoice_date", name: "Invoice date", type: "DATE" },
  { table: "invoice", slug: "iban", name: "IBAN", excludedFromExtraction: true },
];
/** A name that no document has. */
const nowhere = "Zebra weight";

/** Waits until a table shows that every invoice number is right. */
const waitForNumbers = (within: Locator | Page): Promise<void> =>
  within
    .getByRole("row")
    .filter({ hasText: "Invoice number" })
    .getByText(/^100\.0\s%$/)
    .first()
    .waitFor();

/** An engine that answers about one of the files when it is told to, and never about the other one. */
const answering = Promise.withResolvers<void>();
const endpoint = await startEndpoint({
  answer: async ({ content }) => {
    await (/brightwater/i.test(content) ? new Promise(() => undefined) : answering.promise);
    return {};
  },
});
afterAll(() => endpoint.close());

describeWith(chromium, "benchmarks in the console", (path) => {
  const slow = { protocol: "openai", baseUrl: endpoint.baseUrl, models: ["test-model"], structuredOutput: "none" };
  const given = givenOffice("one process", { engines: { file: { slow: { ...slow, timeoutSeconds: 300 } } } });
  const browser = givenContext(path);
  let caller: ProjectCaller;
  let files: string[];
  /** A run of a version that finds no handle, and the schema of the next version, which finds no figure. */
  let first: string;
  let second: string;
  let nextSchema: string;

  beforeAll(async () => {
    caller = await createProjectCaller(given);
    const { rest, office } = given;
    files = [];
    for (const name of ["invoice-harbour-lane.pdf", "invoice-brightwater.pdf"])
      files.push(await acceptedInvoice(rest, office, `<b>${name}`, await sample(name)));
    const labels = await Promise.all(files.map(readLabels));
    const configuration = `/api/v1/deployments/${office.invoices}/configuration`;
    const extractionSettings = { useExamples: false };
    const before = { columns: columns(nowhere, "Total due", ["Total amount"]), extractionSettings };
    await getBody(rest.patch(configuration, before), 200);
    for (const [index, id] of files.entries()) await acceptLabels(id, labels[index] ?? {});
    const runs = `/api/v1/projects/${office.projectId}/benchmarks`;
    const { executionId } = await getBody(rest.post(runs, { deploymentId: office.invoices, name: "Before" }), 201);
    await finishedExecution(rest, executionId);
    first = executionId;
    const changed = await getBody(rest.patch(configuration, { columns: columns("Invoice number", nowhere) }), 200);
    nextSchema = changed.extractionSchemaId;
  });

  const acceptedPath = (fileId: string): string => `/api/v1/files/${fileId}/accepted-values`;
  /** Returns the values that a file is accepted for under the slugs of the versions that are compared. */
  const readLabels = async (fileId: string): Promise<object> => {
    const { rest, office } = given;
    const { tables } = await getBody(rest.get(`${acceptedPath(fileId)}?deploymentId=${office.invoices}`), 200);
    const { invoice_number: handle, total: figure, invoice_date } = tables[0].rows[0].values;
    return { handle, figure, invoice_date };
  };
  const acceptLabels = async (fileId: string, values: object): Promise<void> => {
    const tables = [{ slug: "invoice", rows: [{ values }] }];
    const body = JSON.stringify({ deploymentId: given.office.invoices, tables });
    const headers = { "content-type": "application/json" };
    await getBody(given.rest.send(acceptedPath(fileId), { method: "PUT", headers, body }), 200);
  };

  const inBothSchemes = async (page: Page): Promise<void> => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findViolations(page)).toEqual([]);
    }
  };

  it("starts a run of a changed schema from a link, and shows the accuracy of its columns", async () => {
    const { system, office, rest } = given;
    const benchmarks = `/projects/${office.projectId}/benchmarks`;
    const { page, complaints } = await openConsole(browser.context, system.url, caller, benchmarks);
    const row = page.getByRole("row").filter({ hasText: "Before" });
    await row.getByText("Completed").waitFor();
    await row.getByText(/\d\s%$/).waitFor();
    expect(await findViolations(page)).toEqual([]);

    // The form, as other pages link to it.
    const query = new URLSearchParams({ new: "1", deploymentId: office.invoices, extractionSchemaId: nextSchema });
    await page.goto(`${system.url}/console${benchmarks}?${query.toString()}`);
    const dialog = page.getByRole("dialog", { name: "Start a run" });
    await expect.poll(() => dialog.getByLabel("Name").inputValue()).toBe("Invoices, version 4");
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByLabel("Name").fill("After");
    await dialog.getByRole("button", { name: "Start" }).click();
    await page.getByRole("heading", { level: 1, name: "After" }).waitFor();
    await page.getByText("Completed").waitFor();
    second = page.url().split("/").at(-1) ?? "";
    expect(await getBody(rest.get(`/api/v1/benchmarks/${second}`), 200)).toMatchObject({
      ...{ name: "After", status: "COMPLETED", extractionSchemaId: nextSchema, fileCount: 2 },
    });

    // Accuracy by column: what is excluded is listed and not scored.
    const byColumn = page.getByRole("table", { name: "Accuracy by column" });
    await waitForNumbers(byColumn);
    await byColumn.getByRole("row").filter({ hasText: "IBAN" }).getByText("Excluded, not scored").waitFor();
    await inBothSchemes(page);

    expect(complaints).toEqual([]);
  });

  it("requests again the metrics that it got before the last file, in the list and on the page of the run", async () => {
    const { system, office } = given;
    const benchmarks = `/projects/${office.projectId}/benchmarks`;
    const { page } = await openConsole(browser.context, system.url, caller);
    let requests = 0;
    await page.route(`**/benchmarks/${second}/metrics`, async (route) => {
      const response = await route.fetch();
      requests += 1;
      if (requests > 1) return route.fulfill({ response });
      const { aggregated, ...metrics } = (await response.json()) as { aggregated: object };
      const json = { ...metrics, aggregated: { ...aggregated, totalFiles: 1, successRate: 0.0625 }, byColumn: [] };
      return route.fulfill({ response, json });
    });
    for (const path of [benchmarks, `${benchmarks}/${second}`]) {
      requests = 0;
      await page.goto(`${system.url}/console${path}`);
      await expect.poll(() => requests).toBeGreaterThan(1);
      await page.getByText(/^6\.3\s%$/).waitFor({ state: "detached" });
    }
    await waitForNumbers(page);
    await page.close();
  });

  it("compares it with the run before the change, leads to the cells of a file, and is promoted", async () => {
    const { system, office, rest } = given;
    const benchmarks = `/projects/${office.projectId}/benchmarks`;
    const { page, complaints } = await openConsole(browser.context, system.url, caller, `${benchmarks}/${second}`);
    // By default, the comparison is with the run before.
    await page.getByRole("navigation", { name: "Parts of the run" }).getByRole("link", { name: "Comparison" }).click();
    const broken = page.getByRole("table", { name: "Broken cells" });
    const fixed = page.getByRole("table", { name: "Fixed cells" });
    await broken.getByText("<b>invoice-brightwater.pdf").waitFor();
    await fixed.getByText("<b>invoice-harbour-lane.pdf").waitFor();
    expect([await broken.getByText("figure").count(), await fixed.getByText("handle").count()]).toEqual([2, 2]);
    await page.getByText(/^invoice\.figure: changed \(name/).waitFor();
    await page.getByText("The comparison is inconclusive").waitFor();
    expect(await page.getByRole("table", { name: "Accuracy by column" }).getByText("invoice_date").count()).toBe(1);
    await page.getByLabel("Different only").check();
    await page.waitForURL(/columns=different/);
    const dates = page.getByRole("table", { name: "Accuracy by column" }).getByText("invoice_date");
    await expect.poll(() => dates.count()).toBe(0);
    await inBothSchemes(page);

    // A broken cell leads to the cells of its file.
    await broken.getByRole("link", { name: "<b>invoice-brightwater.pdf" }).click();
    const cells = page.getByRole("table", { name: "Cells" });
    await cells.getByRole("row").filter({ hasText: "figure" }).getByText("Missing").waitFor();
    await page.getByLabel("Only errors").check();
    await expect.poll(() => cells.getByRole("row").count()).toBe(2);

    // The cell is on the page of the document: what was accepted against what was extracted. The list and its links lead there by keyboard.
    const onPage = page.getByRole("region", { name: "The cells on the page" });
    await onPage.getByRole("heading", { name: "invoice, row 1: figure" }).waitFor();
    await onPage.getByText("Missing").waitFor();
    await page.getByLabel("Only errors").uncheck();
    await expect.poll(() => cells.getByRole("row").count()).toBeGreaterThan(2);
    await cells.getByRole("link", { name: "Show handle of invoice, row 1, on the page" }).focus();
    await page.keyboard.press("Enter");
    await onPage.getByRole("heading", { name: "invoice, row 1: handle" }).waitFor();
    await onPage.locator('[data-selected="true"][title^="handle: accepted "]').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await onPage.getByRole("button", { name: "Close" }).click();
    await onPage.waitFor({ state: "detached" });
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "All files" }).click();
    await page.getByRole("table", { name: "Files, the worst first" }).getByRole("link").nth(1).waitFor();
    expect(await findViolations(page)).toEqual([]);

    // The version of the run is promoted. The dialog can be opened before the versions have arrived.
    await page.route(/\/configuration\/versions/, async (route) => {
      await page.getByRole("dialog").waitFor();
      await route.continue();
    });
    await page.goto(`${system.url}/console/projects/${office.projectId}/models/${office.invoices}?tab=deployments`);
    await page.getByRole("button", { name: "Serve another version by Invoices, stable" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Promote to version/ })
      .click();
    await page
      .getByRole("row", { name: /^Invoices, stable/ })
      .getByText("(current)")
      .waitFor();
    const served = await getBody(rest.get(`/api/v1/deployments/${office.deployment}/configuration`), 200);
    expect(served.extractionSchemaId).toBe(nextSchema);
    expect(complaints).toEqual([]);
  });

  it("shows the progress of a run, and cancels it", async () => {
    const { system, office, rest } = given;
    const configuration = `/api/v1/deployments/${office.invoices}/configuration`;
    await getBody(rest.patch(configuration, { extractionSettings: { engine: "slow", useExamples: false } }), 200);
    const benchmarks = `/projects/${office.projectId}/benchmarks`;
    const { page, complaints } = await openConsole(browser.context, system.url, caller, `${benchmarks}?new=1`);
    const dialog = page.getByRole("dialog", { name: "Start a run" });
    await expect.poll(() => dialog.getByLabel("Name").inputValue()).toMatch(/^Invoices, version/);
    await dialog.getByLabel("Name").fill("Slow");
    await dialog.getByRole("button", { name: "Start" }).click();
    await page.getByRole("heading", { level: 1, name: "Slow" }).waitFor();
    // It has no width yet, so it counts as hidden.
    await page.getByRole("progressbar", { name: "0 of 2 files" }).waitFor({ state: "attached" });
    expect(await findViolations(page)).toEqual([]);
    // The engine answers about one of the files. The page follows without being loaded again.
    answering.resolve();
    await page.getByRole("progressbar", { name: "1 of 2 files" }).waitFor();
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await page.getByText("Cancelled", { exact: true }).waitFor();
    expect(await page.getByRole("progressbar").count()).toBe(0);
    const { data } = await getBody(rest.get(`/api/v1/projects/${office.projectId}/benchmarks`), 200);
    expect(data[0]).toMatchObject({ name: "Slow", status: "CANCELLED" });
    expect(complaints).toEqual([]);
  });

  it("checks rules, which the address keeps, and deletes a run", async () => {
    const { system, office } = given;
    const benchmarks = `/projects/${office.projectId}/benchmarks`;
    const { page, complaints } = await openConsole(browser.context, system.url, caller, `${benchmarks}/${first}/gate`);
    const metrics = page.getByRole("combobox", { name: "Metric" });
    await metrics.fill("byColumn.figure.f1");
    await metrics.press("Tab");
    await page.getByRole("button", { name: "Add a rule" }).click();
    await metrics.nth(1).fill("byColumn.handle.successRate");
    await metrics.nth(1).press("Tab");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("The gate is not passed").waitFor();
    const results = page.getByRole("table", { name: "Result by rule" });
    await results
      .getByRole("row")
      .filter({ hasText: "byColumn.figure.f1 >= 0.95" })
      .getByText("Met", { exact: true })
      .waitFor();
    await results.getByRole("row").filter({ hasText: "byColumn.handle" }).getByText("Not met").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.reload();
    await page.getByText("The gate is not passed").waitFor();
    await metrics.first().fill("byColumn.none.f1");
    await metrics.first().press("Tab");
    await page.getByRole("button", { name: "Check" }).click();
    // The server explains the metric that it does not know.
    await page.getByRole("alert").waitFor();

    await page.getByRole("button", { name: "Delete the run" }).click();
    expect(await findDialogViolations(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { level: 1, name: "Benchmarks" }).waitFor();
    await page.getByRole("link", { name: "After" }).waitFor();
    await page.getByRole("link", { name: "Before" }).waitFor({ state: "detached" });
    // The browser reports the refused rule on its own.
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });
});
