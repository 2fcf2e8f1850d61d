import type { Page } from "playwright-core";
import { chromium, describeWith } from "../programs.ts";
import { createRest } from "../rest.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { invoiceText } from "../specification/testing/sample-world.ts";
import { findDialogViolations, givenContext, openConsole } from "./opening.ts";

describeWith(chromium, "what was entered in the console and is not saved", (path) => {
  const given = givenOffice();
  const browser = givenContext(path);

  const open = (address: string) =>
    openConsole(browser.context, given.system.url, given.system.token, `/projects/${given.office.projectId}${address}`);
  /** Counts the questions of a page, and denies them until it is told to accept them. */
  const watchQuestions = (page: Page) => {
    const questions = { count: 0, areAccepted: false };
    page.on("dialog", async (dialog) => {
      await (questions.areAccepted ? dialog.accept() : dialog.dismiss());
      questions.count += 1;
    });
    return questions;
  };
  const traverse = (page: Page, by: number) => page.evaluate(`history.go(${by})`);

  it("is kept when the question about a step in the history is denied", async () => {
    const { page, complaints } = await open("/models");
    const questions = watchQuestions(page);
    const instructions = page.getByLabel("Instructions").first();
    const address = new RegExp(`/models/${given.office.receipts}$`);
    await page.getByRole("link", { name: "Receipts" }).click();
    await instructions.fill("Read the totals");
    // Steps within the page lose nothing.
    await page.getByRole("tab", { name: "Versions" }).click();
    await traverse(page, -1);
    await instructions.waitFor();
    expect(questions.count).toBe(0);

    await traverse(page, -1);
    await expect.poll(() => questions.count).toBe(1);
    await expect.poll(() => page.url()).toMatch(address);
    expect(await instructions.inputValue()).toBe("Read the totals");
    // The entries of the history are where they were.
    await traverse(page, 1);
    await page.getByRole("tab", { name: "Versions", selected: true }).waitFor();
    await traverse(page, -2);
    await expect.poll(() => questions.count).toBe(2);
    await expect.poll(() => page.url()).toMatch(/tab=versions$/);
    questions.areAccepted = true;
    await traverse(page, -2);
    await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
    expect(questions.count).toBe(3);
    await traverse(page, 1);
    await instructions.waitFor();
    expect(await instructions.inputValue()).toBe("");
    expect(questions.count).toBe(3);
    expect(complaints).toEqual([]);
  });

  it("is kept in a dialog when the question is denied, and nothing is asked about a dialog without it", async () => {
    const { page, complaints } = await open("/models");
    const questions = watchQuestions(page);
    const dialog = page.getByRole("dialog");
    const openDialog = async (): Promise<void> => {
      await page.getByRole("button", { name: "New model" }).click();
      await dialog.waitFor();
    };
    const closings = [
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(5, 5),
      () => dialog.getByRole("button", { name: "Close" }).click(),
    ];
    for (const close of closings) {
      await openDialog();
      await close();
      await dialog.waitFor({ state: "detached" });
    }
    expect(questions.count).toBe(0);
    await openDialog();
    await dialog.getByLabel("Name").fill("Contracts");
    for (const close of closings) await close();
    await expect.poll(() => questions.count).toBe(3);
    await traverse(page, -1);
    await expect.poll(() => questions.count).toBe(4);
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Contracts");
    // What says that it cancels, does so.
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(questions.count).toBe(4);
    questions.areAccepted = true;
    await openDialog();
    await dialog.getByLabel("Name").fill("Contracts");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(questions.count).toBe(5);
    // What was saved is not asked about.
    await openDialog();
    await dialog.getByLabel("Name").fill("Contracts");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "Contracts" }).waitFor();
    expect(questions.count).toBe(5);
    expect(complaints).toEqual([]);
  });

  it("asks after a choice in a dialog, but not after the name that confirms a deletion", async () => {
    const { page } = await openConsole(
      browser.context,
      given.system.url,
      given.system.token,
      "/administration/projects",
    );
    const questions = watchQuestions(page);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Edit Accounts payable" }).click();
    await dialog.getByLabel("Teams").click();
    await page.getByRole("option").first().click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect.poll(() => questions.count).toBe(1);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete Accounts payable" }).click();
    await dialog.getByRole("textbox").fill("Accounts payable");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(questions.count).toBe(1);
  });

  it("says nothing about the failure of the time before when a dialog is opened again", async () => {
    const { page } = await open("/models");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "New model" }).click();
    await dialog.getByLabel("Name").fill(" ");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "New model" }).click();
    await dialog.getByLabel("Name").waitFor();
    expect(await dialog.getByRole("alert").count()).toBe(0);
  });

  it("is the draft that was edited while another one was being saved, and not the one that was saved", async () => {
    const { page } = await open(`/models/${given.office.receipts}`);
    const saved = Promise.withResolvers<void>();
    await page.route(/\/configuration$/, async (route) => {
      if (route.request().method() !== "GET") await saved.promise;
      await route.continue();
    });
    const instructions = page.getByLabel("Instructions").first();
    const save = page.getByRole("button", { name: /^Save as version/ });
    const sent = () => page.waitForRequest((request) => request.method() !== "GET");
    await instructions.fill("First");
    let request = sent();
    await save.click();
    await request;
    await instructions.fill("Second");
    saved.resolve();
    await page.getByRole("table", { name: "Changes" }).or(page.getByText("The instructions differ.")).waitFor();
    await expect.poll(() => save.isEnabled()).toBe(true);
    expect(await instructions.inputValue()).toBe("Second");

    // Even if another tab of the page is open when it has been saved.
    request = sent();
    await save.click();
    await page.getByRole("tab", { name: "Versions" }).click();
    await request;
    await page.getByRole("row", { name: /\(current\)/ }).waitFor();
    await expect
      .poll(async () => {
        await page.getByRole("tab", { name: "Schema" }).click();
        const isEdited = (await save.count()) > 0;
        await page.getByRole("tab", { name: "Versions" }).click();
        return isEdited;
      })
      .toBe(false);
  });

  it("is not a value that someone would type while the values are being accepted", async () => {
    const record = await getBody(
      given.rest.post(`/api/v1/classify/${given.office.classifier}`, { text: `${invoiceText}\nInvoice number: 78` }),
      201,
    );
    const { page } = await open(`/inbox/extractions/${record.extraction.id}`);
    const accepted = Promise.withResolvers<void>();
    await page.route(/:accept$/, async (route) => {
      await accepted.promise;
      await route.continue();
    });
    const request = page.waitForRequest(/:accept$/);
    const total = page.getByLabel("Total amount");
    await total.fill("7");
    await page.keyboard.press("Control+Enter");
    await request;
    await expect.poll(() => total.isEditable()).toBe(false);
    accepted.resolve();
    await page.waitForURL((url) => !url.href.endsWith(record.extraction.id));
  });

  it("outlives the token, and is saved with another one of the same user", async () => {
    const { rest, office, system } = given;
    const issue = async (userId?: string): Promise<{ id: string; secret: string }> => {
      const permissions = ["models:read", "models:edit"];
      const body = { name: "Editor", scope: "PROJECT", projectId: office.projectId, permissions };
      return getBody(rest.post("/api/v1/tokens", userId === undefined ? body : { ...body, userId }), 201);
    };
    const first = await issue();
    const stranger = await getBody(rest.post("/api/v1/users", { name: "Grace" }), 201);
    const { page } = await openConsole(
      browser.context,
      system.url,
      first.secret,
      `/projects/${office.projectId}/models/${office.receipts}`,
    );
    const instructions = page.getByLabel("Instructions").first();
    const save = page.getByRole("button", { name: /^Save as version/ });
    await instructions.fill("Read the totals twice");
    await getBody(rest.send(`/api/v1/tokens/${first.id}`, { method: "DELETE" }), 204);
    // Until the token is refused, the version would be saved with it.
    const revoked = createRest(system.url, first.secret);
    await expect.poll(async () => (await revoked.get("/api/v1/me")).status).toBe(401);
    // The end of the stream of events may have opened the dialog, which covers the button.
    await page.locator("button", { hasText: /^Save as version/ }).dispatchEvent("click");
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    expect(await findDialogViolations(page)).toEqual([]);
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain(first.secret);
    const signIn = async (token: string): Promise<void> => {
      await dialog.getByLabel("Token").fill(token);
      await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    };
    await signIn(first.secret);
    await dialog.getByText("The server does not accept this token.").waitFor();
    await signIn((await issue(stranger.id)).secret);
    await dialog.getByText("This token belongs to another user or organization.").waitFor();
    await signIn((await issue()).secret);
    await dialog.waitFor({ state: "detached" });
    expect(await instructions.inputValue()).toBe("Read the totals twice");
    await save.click();
    await page.getByText(/^Version \d+ is saved and current\./).waitFor();
    const saved = await getBody(rest.get(`/api/v1/deployments/${office.receipts}/configuration`), 200);
    expect(saved.instructions).toBe("Read the totals twice");
  });
});
