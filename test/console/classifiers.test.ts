import type { Page } from "playwright-core";
import { chromium, describeWith } from "../programs.ts";
import { createRest } from "../rest.ts";
import { getBody } from "../specification/testing/office.ts";
import { givenTwoProjects } from "../specification/testing/two-projects.ts";
import {
  createProjectCaller,
  findDialogViolations,
  findViolationsInBothSchemes,
  givenContext,
  openConsole,
} from "./opening.ts";
import type { ProjectCaller } from "./opening.ts";

const invoice = (number: number): string =>
  `INVOICE ${number}\nSupplier invoice for goods or services delivered\nAmount due 120.00\nPayment terms 30 days`;
const receipt = (number: number): string =>
  `RECEIPT ${number}\nRestaurant receipt for a purchase, printed at a till\nTotal 12.50\nThank you`;

describeWith(chromium, "the pages about classifiers in Chromium", (path) => {
  const given = givenTwoProjects("shared");
  const browser = givenContext(path);

  const open = (address: string, caller: string | ProjectCaller = given.system.token) =>
    openConsole(browser.context, given.system.url, caller, `/projects/${given.office.projectId}/classifiers${address}`);
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const chooseProject = async (page: Page, name: string): Promise<void> => {
    await page.getByRole("combobox", { name: "Project of the model" }).click();
    await page.getByRole("option", { name, exact: true }).click();
  };

  it("adds routes, explains each refusal before it happens, and shows what the server refuses by field", async () => {
    const { page, complaints } = await open("");
    await page.getByRole("row", { name: /^Accounts payable inbox Project 2 Accounts payable 0/ }).waitFor();
    await button(page, "New classifier").click();
    expect(await findDialogViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("link", { name: "Accounts payable inbox" }).click();
    await page.getByRole("region", { name: "Diagram of the routes" }).getByText("Deployment of Invoices").waitFor();

    // 400 and 409 in the own project, 400 for another project.
    const dialog = page.getByRole("dialog");
    const target = (name: string) => dialog.getByRole("radio", { name, exact: true });
    await button(page, "Add route").click();
    await dialog.getByText("The route Receipt already leads here (409 ROUTE_EXISTS).").waitFor();
    await dialog.getByText("Has no extraction schema (400 MODEL_HAS_NO_SCHEMA).").waitFor();
    expect(await target("Receipts, the model itself").isDisabled()).toBe(true);
    expect(await target("Bare, the model itself").isDisabled()).toBe(true);
    expect(await target("Invoices, the model itself").isEnabled()).toBe(true);
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    await chooseProject(page, "Real estate");
    await dialog.getByText("(400 MODEL_OF_ANOTHER_PROJECT)").first().waitFor();
    expect(await target("Leases, the model itself").isDisabled()).toBe(true);

    // What is named by its ID is refused by the server, at the field.
    const { other, office } = given;
    const add = dialog.getByRole("button", { name: "Add route" });
    const refused = async (modelId: string, deploymentId: string, message: string): Promise<void> => {
      await dialog.getByLabel("Model ID").fill(modelId);
      await dialog.getByLabel("Deployment ID").fill(deploymentId);
      await add.click();
      await dialog.getByText(message).first().waitFor();
    };
    await chooseProject(page, "Any model, by its ID");
    await refused("mdl_unknown", "", "MODEL_NOT_FOUND");
    await refused(other.model, "", "MODEL_OF_ANOTHER_PROJECT");
    await refused(given.bare, "", "MODEL_HAS_NO_SCHEMA");
    await refused(office.invoices, other.deployment, "DEPLOYMENT_OF_ANOTHER_MODEL");
    await refused(office.receipts, "", "ROUTE_EXISTS");
    await chooseProject(page, "Accounts payable");
    await target("Invoices, the model itself").check();
    await dialog.getByLabel("Name").fill("<b>Newest</b> invoices");
    await add.click();
    await page.getByRole("row", { name: /<b>Newest<\/b> invoices/ }).waitFor();
    await page.getByText("3 of 3 routes accept documents").waitFor();

    // Edited, disabled, deleted.
    await button(page, "Edit route <b>Newest</b> invoices").click();
    expect(await findDialogViolations(page)).toEqual([]);
    await dialog.getByLabel("Name").fill("Newest");
    await dialog.getByLabel("Minimum confidence").fill("0.7");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: /^Newest .* 0\.7/ }).waitFor();
    await button(page, "Disable route Newest").click();
    await page.getByRole("row", { name: /^Newest .*Excluded: the route is disabled/ }).waitFor();
    await button(page, "Delete route Newest").click();
    expect(await findDialogViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("2 of 2 routes accept documents").waitFor();
    expect(complaints.filter((text) => !/40[0-9]/.test(text))).toEqual([]);
  });

  it("shows a route as excluded when its deployment is paused, and says what a change of scope means", async () => {
    const { page, complaints } = await open(`/${given.office.classifier}`);
    const dialog = page.getByRole("dialog");
    const diagram = page.getByRole("region", { name: "Diagram of the routes" });
    await page.getByRole("link", { name: "Invoices, stable (deployment of Invoices)" }).click();
    await page.getByRole("tab", { name: "Deployments" }).click();
    await button(page, "Pause Invoices, stable").click();
    await dialog.getByRole("row", { name: "Accounts payable inbox Invoice 1" }).waitFor();
    await dialog.getByRole("button", { name: "Pause" }).click();
    await button(page, "Resume Invoices, stable").waitFor();
    await page.getByRole("link", { name: "Classifiers" }).click();
    await page.getByRole("link", { name: "Accounts payable inbox" }).click();
    await diagram.getByText("Excluded: the deployment is paused").waitFor();
    await page.getByRole("row", { name: /^Invoice .*Excluded: the deployment is paused/ }).waitFor();
    await page.getByText("1 of 2 routes accept documents").waitFor();
    expect(await findViolationsInBothSchemes(page)).toEqual([]);

    // A document of that route is not classified, and the page says which route would have won.
    await page.getByRole("link", { name: "Try it" }).click();
    const file = { name: "invoice.txt", mimeType: "text/plain", buffer: Buffer.from(invoice(9)) };
    await page.locator('input[type="file"]').setInputFiles(file);
    const outcome = page.getByRole("article", { name: "invoice.txt" });
    await outcome.getByText(/^Invoice would have won, but it is excluded: /).waitFor();
    await outcome.getByRole("link", { name: "Review this decision" }).waitFor();
    await page.getByRole("link", { name: "Classifiers" }).click();
    await page.getByRole("link", { name: "Accounts payable inbox" }).click();
    await getBody(given.rest.post(`/api/v1/deployments/${given.office.deployment}:resume`), 200);

    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByLabel("Minimum confidence").fill("0.4");
    await button(page, "Save").click();
    await page.getByText("The settings are saved.").waitFor();
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    await button(page, "Make global").click();
    await dialog.getByText("survives the deletion of this project").waitFor();
    expect(await findDialogViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Make global" }).click();
    await button(page, "Make project-scoped").waitFor();
    await page.getByRole("tab", { name: "Routes" }).click();
    await button(page, "Add route").click();
    await chooseProject(page, "Real estate");
    await dialog.getByRole("radio", { name: "Leases, the model itself" }).check();
    await dialog.getByRole("button", { name: "Add route" }).click();
    await diagram.getByText("Real estate").first().waitFor();
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByText("its routes lead to several projects: Accounts payable, Real estate").waitFor();

    // 403: a token that does not reach the other project.
    const { rest: all, office } = given;
    const { user } = await getBody(all.get("/api/v1/me"), 200);
    const ofTeam = { name: "Near", projectIds: [office.projectId], userIds: [user.id] };
    const team = await getBody(all.post("/api/v1/teams", ofTeam), 201);
    const permissions = ["models:read", "models:edit", "organization:models:edit"];
    const nearBody = { name: "Near", scope: "ORGANIZATION", teamIds: [team.id], permissions };
    const near = await open(`/${office.classifier}`, (await getBody(all.post("/api/v1/tokens", nearBody), 201)).secret);
    const nearDialog = near.page.getByRole("dialog");
    await button(near.page, "Add route").click();
    await near.page.getByRole("combobox", { name: "Project of the model" }).click();
    const outOfReach = "Real estate: your token has no access to this project (403 PROJECT_OUT_OF_REACH)";
    const beyond = near.page.getByRole("option", { name: outOfReach });
    await beyond.waitFor();
    expect(await beyond.isEnabled()).toBe(false);
    await near.page.getByRole("option", { name: "Any model, by its ID" }).click();
    await nearDialog.getByLabel("Model ID").fill(given.other.model);
    await nearDialog.getByRole("button", { name: "Add route" }).click();
    await nearDialog.getByText("(PROJECT_OUT_OF_REACH)").waitFor();
    expect(await findViolationsInBothSchemes(near.page)).toEqual([]);

    // A token without the organization-level right sees why it may change nothing.
    const reading = ["models:read", "models:edit"];
    const body = { name: "Editor", scope: "PROJECT", projectId: given.office.projectId, permissions: reading };
    const { secret } = await getBody(given.rest.post("/api/v1/tokens", body), 201);
    const { page: other } = await open(`/${given.office.classifier}`, secret);
    await other.getByText("requires the permission organization:models:edit").first().waitFor();
    expect(await button(other, "Add route").count()).toBe(0);
    expect(await other.getByRole("tab", { name: "Quality" }).count()).toBe(0);
    expect(await createRest(given.system.url, secret).get("/api/v1/me")).toMatchObject({ status: 200 });
    expect(complaints).toEqual([]);
  });

  it("keeps what was entered while the server is away, and saves it when it is back, even without a network", async () => {
    const { page } = await open(`/${given.office.classifier}?tab=settings`);
    const description = page.getByLabel("Description");
    const entered = "Everything that arrives by post";
    let failed = 0;
    page.on("requestfailed", (request) => (failed += Number(request.url().endsWith("/api/v1/projects"))));
    await description.fill(entered);
    await page.context().setOffline(true);
    try {
      await button(page, "Save").click();
      await page.getByText("The server cannot be reached").first().waitFor();
      // What is shown is repeated, the change is not, and both are said.
      await page.getByText("The page does not repeat this by itself.").waitFor();
      await page.getByText("The page retries automatically.").first().waitFor();
      // Everything that is shown is requested again, which the client tries three times.
      await expect.poll(() => failed).toBeGreaterThan(3);
      expect(await description.inputValue()).toBe(entered);
    } finally {
      await page.context().setOffline(false);
    }
    // A browser without a network still reaches a server on its own machine.
    await page.evaluate('window.dispatchEvent(new Event("offline"))');
    await button(page, "Save").click();
    await page.getByText("The settings are saved.").waitFor();
    await page.reload();
    expect(await description.inputValue()).toBe(entered);
  });

  it("measures how well it decides, and applies a threshold", async () => {
    const { rest, office } = given;
    const body = { projectId: office.projectId, name: "Measured", routes: [] as object[] };
    body.routes.push(
      { deploymentId: office.invoices, name: "Invoice", description: invoice(0) },
      { deploymentId: office.receipts, name: "Receipt", description: receipt(0) },
    );
    const classifier = await getBody(rest.post("/api/v1/classify", body), 201);
    const classify = `/api/v1/classify/${classifier.id}`;
    const [invoices, receipts] = classifier.deploymentRoutes.map(({ id }: { id: string }) => id);
    const review = async (text: string, routeId: string | null): Promise<void> => {
      const { id } = await getBody(rest.post(classify, { text, extract: false }), 201);
      await getBody(rest.post(`${classify}/classifications/${id}:review`, { routeId, extract: false }), 200);
    };
    for (let number = 1; number <= 4; number += 1) {
      await review(invoice(number), invoices);
      await review(receipt(number), receipts);
    }
    await review(invoice(9), receipts);

    const { riskCoverage } = await getBody(rest.get(`${classify}/quality`), 200);
    const percent = (share: number): string => `${(share * 100).toFixed(1)}\u00a0%`;
    const effectOf = (threshold: number): string => {
      const point = riskCoverage.findLast((each: { threshold: number }) => each.threshold >= threshold);
      return point === undefined
        ? `At ${threshold}: no document is routed.`
        : `At ${threshold}: ${percent(point.coverage)} of the documents are routed, ${percent(1 - point.risk)} of them right.`;
    };

    const { page, complaints } = await open(`/${classifier.id}?tab=quality`, await createProjectCaller(given));
    await page.getByText("9 reviewed documents").waitFor();
    const matrix = page.getByRole("table", { name: "Confusion matrix" });
    await matrix.getByRole("row", { name: /^Receipt 1 wrong 4 right 0 5/ }).waitFor();
    await page
      .getByRole("table", { name: "Precision and recall" })
      .getByRole("row", { name: /^Invoice 4 80\.0\s%/ })
      .waitFor();
    const slider = page.getByRole("slider", { name: "Threshold" });
    const dragged = async (): Promise<number> => Number(await slider.getAttribute("aria-valuenow"));
    // Where it is may change between the two looks, while the page still follows the mouse.
    const shownEffects = async (): Promise<number> => page.getByText(effectOf(await dragged())).count();
    await slider.press("End");
    await page.getByText(effectOf(1)).waitFor();
    await slider.press("Home");
    await page.getByText(effectOf(0)).waitFor();
    // Dragged by the mouse from there: the sentence follows, before the button is let go.
    const thumb = await slider.boundingBox();
    const start = { x: (thumb?.x ?? 0) + (thumb?.width ?? 0) / 2, y: (thumb?.y ?? 0) + (thumb?.height ?? 0) / 2 };
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x + 60, start.y, { steps: 3 });
    await expect.poll(dragged).toBeGreaterThan(0.05);
    await expect.poll(shownEffects).toBe(1);
    const half = await dragged();
    await page.mouse.move(start.x + 120, start.y, { steps: 3 });
    await expect.poll(dragged).toBeGreaterThan(half);
    await page.mouse.up();
    await expect.poll(shownEffects).toBe(1);
    await slider.press("Home");
    await slider.press("ArrowRight");
    await button(page, "Use 0.005 as minimum confidence").click();
    await page.getByText("0.005 is now the minimum confidence").waitFor();
    await button(page, "Show the points as a table").click();
    await page.getByRole("table", { name: "Points of the curve" }).waitFor();
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    await page.getByText("Made again").click();
    await page.getByText("No document is decided by what was learned from itself.").waitFor();
    expect(new URL(page.url()).searchParams.get("replay")).toBe("true");
    expect((await getBody(rest.get(classify), 200)).settings.minConfidence).toBe(0.005);
    await page.getByRole("tab", { name: "Settings" }).click();
    await button(page, "Delete classifier").click();
    expect(await findDialogViolations(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("link", { name: "Accounts payable inbox" }).waitFor();
    await page.getByRole("link", { name: "Measured" }).waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });
});
