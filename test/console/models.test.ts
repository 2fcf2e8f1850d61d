import { chromium, describeWith } from "../programs.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import {
  createProjectCaller,
  findDialogViolations,
  findViolations,
  findViolationsInBothSchemes,
  givenContext,
  openConsole,
} from "./opening.ts";
import type { ProjectCaller } from "./opening.ts";

describeWith(chromium, "the pages about models in Chromium", (path) => {
  const engine = { protocol: "openai", baseUrl: "http://127.0.0.1:1/v1", models: ["small"], structuredOutput: "none" };
  const given = givenOffice("one process", { engines: { file: { office: engine } } });
  const browser = givenContext(path);
  let caller: ProjectCaller;
  beforeAll(async () => {
    caller = await createProjectCaller(given);
  });

  it("changes a schema in a draft, and shows the changes against what is served", async () => {
    const { system, office } = given;
    const address = `/projects/${office.projectId}/models`;
    const { page, complaints } = await openConsole(browser.context, system.url, caller, address);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const dialog = page.getByRole("dialog");
    await page.getByRole("link", { name: "Invoices" }).waitFor();
    expect(await findViolationsInBothSchemes(page)).toEqual([]);

    // The draft, against the current version and against what the deployment serves.
    await page.getByRole("link", { name: "Invoices" }).click();
    await button("Edit column Total amount").click();
    await dialog.getByRole("combobox", { name: "Synonyms" }).fill("Amount payable");
    await dialog.getByRole("combobox", { name: "Synonyms" }).press("Enter");
    await dialog.getByLabel("Required").check();
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    await button("Apply to the draft").click();
    await button("Edit table Line items").click();
    expect(await findDialogViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await button("Add column to Line items").click();
    await dialog.getByLabel("Slug").fill("Tax rate");
    await button("Apply to the draft").click();
    await page.getByText("the slug must be lower-case letters").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await button("Save as version 3").isDisabled()).toBe(true);
    await button("Edit column Tax rate").click();
    await dialog.getByLabel("Slug").fill("tax_rate");
    await button("Apply to the draft").click();
    const changes = page.getByRole("table", { name: "Changes" }).getByRole("row");
    await changes.filter({ hasText: "Added" }).getByText("tax_rate").waitFor();
    await changes.getByText("synonyms: Total due → Total due, Amount payable").waitFor();
    await changes.getByText("required: no → yes").waitFor();
    expect(await changes.filter({ hasText: "iban" }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Compared with" }).click();
    await page.getByRole("option", { name: "What Invoices, stable serves" }).click();
    await changes.filter({ hasText: "Added" }).getByText("iban").waitFor();
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    await button("Save as version 3").click();
    await page.getByText("Version 3 is saved and current.").waitFor();

    // With which engine documents are extracted. What the server refuses is shown at its field.
    const extraction = page.getByRole("region", { name: "Extraction" });
    expect(await extraction.getByLabel("Temperature").count()).toBe(0);
    await extraction.getByRole("combobox", { name: "Engine" }).click();
    await page.getByRole("option", { name: "office: small" }).click();
    await extraction.getByLabel("Temperature").fill("3");
    await extraction.getByLabel("Number of examples").fill("2");
    await page.getByText("The extraction settings differ.").waitFor();
    await button("Save as version 4").click();
    await extraction.getByText("must be").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await extraction.getByLabel("Temperature").fill("0.2");
    await button("Save as version 4").click();
    await page.getByText("Version 4 is saved and current.").waitFor();
    const configuration = await given.rest.get(`/api/v1/deployments/${office.invoices}/configuration`);
    expect(configuration.body.extractionSettings).toEqual({
      ...{ engine: "office", modelName: "small", temperature: 0.2, useExamples: true, numberOfExamples: 2 },
    });

    // A record says what a second engine was asked, and what came of it.
    const classify = `/api/v1/classify/${office.classifier}`;
    const secondOpinion = { engine: "office", modelName: "small" };
    await getBody(given.rest.patch(classify, { settings: { secondOpinion } }), 200);
    const { id } = await getBody(given.rest.post(classify, { text: "A swim in the lake", extract: false }), 201);
    const record = `/projects/${office.projectId}/inbox/classifications/${office.classifier}/${id}`;
    await page.goto(`${system.url}/console${record}`);
    await page.getByText("Second opinion of office: small: it could not be reached").waitFor();
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });

  it("serves versions of a schema by deployments, which are promoted, rolled back, paused and deleted", async () => {
    const { system, office, rest } = given;
    const columns = [{ table: "invoice", slug: "total" }];
    await getBody(rest.patch(`/api/v1/deployments/${office.invoices}/configuration`, { columns }), 200);
    const address = `/projects/${office.projectId}/models/${office.invoices}?tab=versions`;
    const { page, complaints } = await openConsole(browser.context, system.url, caller, address);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const dialog = page.getByRole("dialog");

    // A deployment of the old version, promoted and rolled back.
    await page.getByRole("row", { name: /^1 / }).getByRole("button", { name: "Deploy version 1" }).click();
    expect(await findDialogViolations(page)).toEqual([]);
    await dialog.getByRole("textbox", { name: "Name" }).fill("Candidate");
    await button("Create").click();
    await page.getByRole("row", { name: /^1 / }).getByText("Invoices, stable, Candidate").waitFor();
    expect(await page.getByRole("link", { name: "Benchmark version 2" }).getAttribute("href")).toBe(
      `/console/projects/${office.projectId}/benchmarks?new&deploymentId=${office.invoices}&extractionSchemaId=${office.secondSchema}`,
    );
    const differences = page.getByRole("table", { name: "Compare versions" });
    await differences.getByRole("row", { name: /^Removed line_items unit_price/ }).waitFor();
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("tab", { name: "Deployments" }).click();
    const candidate = page.getByRole("table", { name: "Deployments" }).getByRole("row", { name: /^Candidate/ });
    await candidate.getByText("Version 1").waitFor();
    await button("Serve another version by Candidate").click();
    await dialog.getByRole("row", { name: /^Removed line_items unit_price/ }).waitFor();
    expect(await findDialogViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: /^Promote to version/ }).click();
    await candidate.getByText("(current)").waitFor();
    await button("Serve another version by Candidate").click();
    await dialog.getByRole("combobox", { name: "Version to serve" }).click();
    await page.getByRole("option", { name: "Version 1", exact: true }).click();
    await button("Roll back to version 1").click();
    await candidate.getByText("Version 1", { exact: true }).waitFor();

    // Other names, a pause, and the end.
    await button("Rename Candidate").click();
    expect(await findDialogViolations(page)).toEqual([]);
    await dialog.getByRole("textbox", { name: "Name" }).fill("invoices, STABLE");
    await button("Save").click();
    await dialog.getByRole("alert").getByText("NAME_TAKEN").waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Second choice");
    await button("Save").click();
    await page.getByRole("row", { name: /^Second choice/ }).waitFor();
    await button("Delete Invoices").click();
    await dialog.getByText("HAS_DEPLOYMENTS").waitFor();
    await dialog.getByRole("cell", { name: "Accounts payable inbox" }).waitFor();
    expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    expect(await findDialogViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await button("Pause Second choice").click();
    await dialog.getByText("No route of a classifier").waitFor();
    expect(await findDialogViolations(page)).toEqual([]);
    await button("Pause").click();
    await page.getByRole("row", { name: /^Second choice Paused/ }).waitFor();
    await button("Resume Second choice").click();
    await button("Pause Second choice").waitFor();
    await button("Delete Second choice").click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("row", { name: /^Second choice/ }).waitFor({ state: "detached" });
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    expect(complaints.filter((text) => !text.includes("409"))).toEqual([]);
  });
});
