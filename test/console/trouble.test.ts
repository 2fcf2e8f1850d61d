import { setTimeout as sleep } from "node:timers/promises";
import { sample } from "../journeys/fixture.ts";
import { chromium, describeWith } from "../programs.ts";
import { acceptedInvoice } from "../specification/testing/benchmarks.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { invoiceText } from "../specification/testing/sample-world.ts";
import { createContext } from "../viewer/browsing.ts";
import { findViolations, givenContext, openConsole } from "./opening.ts";

describeWith(chromium, "the console when something is slow, fails or is done twice", (path) => {
  const given = givenOffice();
  const browser = givenContext(path);

  const open = (address: string) =>
    openConsole(browser.context, given.system.url, given.system.token, `/projects/${given.office.projectId}${address}`);
  const inbox = (): string => `/api/v1/classify/${given.office.classifier}`;
  const classify = (body: object): Promise<any> => getBody(given.rest.post(inbox(), body), 201);
  const count = (requested: readonly string[], pattern: RegExp): number =>
    requested.filter((each) => pattern.test(each)).length;

  it("says that the code of a page cannot be loaded, and loads it when it is asked to", async () => {
    const context = await createContext(browser.context.browser()!);
    const code = /\/assets\/benchmarks-/;
    await context.route(code, (route) => route.abort());
    const { page } = await openConsole(context, given.system.url, given.system.token);
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await page.getByRole("link", { name: "Benchmarks" }).click();
    await page.getByRole("alert").getByText("A part of the console could not be loaded.").waitFor();
    // The other pages can still be opened, and the failure is not theirs.
    await page.getByRole("link", { name: "Models" }).click();
    await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("link", { name: "Benchmarks" }).click();
    await page.getByRole("alert").waitFor();
    await context.unroute(code);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Benchmarks" }).waitFor();
    await context.close();
  });

  it("loads the code of a page while the token is checked", async () => {
    const { page } = await open("/models");
    const heading = page.getByRole("heading", { level: 1, name: "Models" });
    await heading.waitFor();
    const checked = Promise.withResolvers<void>();
    await page.route(/\/api\/v1\/me$/, async (route) => {
      await checked.promise;
      await route.continue();
    });
    const code = page.waitForRequest(/\/assets\/models-/);
    await page.reload({ waitUntil: "commit" });
    await code;
    checked.resolve();
    await heading.waitFor();
  });

  it("keeps the session while the server cannot say whether its token is valid", async () => {
    const { page } = await open("/models");
    const me = /\/api\/v1\/me$/;
    const heading = page.getByRole("heading", { level: 1, name: "Models" });
    await heading.waitFor();
    const problem = { title: "Unavailable", status: 503, detail: "The server is starting.", code: "UNAVAILABLE" };
    await page.route(me, (route) => route.fulfill({ status: 503, json: problem, headers: { "retry-after": "0" } }));
    await page.reload();
    await page.getByRole("alert").getByText("The server is starting.").waitFor();
    expect(await page.getByLabel("Token").count()).toBe(0);
    expect(await page.title()).toBe("The console cannot be opened yet · Switchyard");
    expect(await findViolations(page)).toEqual([]);
    await page.unroute(me);
    await heading.waitFor();
  });

  it("keeps a sign-in link that the server cannot exchange yet", async () => {
    const context = await createContext(browser.context.browser()!);
    const page = await context.newPage();
    let attempts = 0;
    // The real link of a start is tested with it. This one is answered here.
    await page.route(/\/console\/sign-in$/, (route) => {
      attempts += 1;
      expect(route.request().postDataJSON()).toEqual({ code: "once" });
      return attempts === 1 ? route.fulfill({ status: 503 }) : route.fulfill({ json: { token: given.system.token } });
    });
    await page.goto(`${given.system.url}/console#sign-in=once`);
    await page.getByRole("heading", { name: "The console cannot be opened yet" }).waitFor();
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    expect(attempts).toBe(2);
    await context.close();
  });

  it("starts one run, although its files are listed for a while", async () => {
    await acceptedInvoice(given.rest, given.office, "accepted.pdf", await sample("invoice-harbour-lane.pdf"));
    const { page } = await open("/benchmarks?new=1");
    const listing = Promise.withResolvers<void>();
    await page.route(/\/files\?/, async (route) => {
      await listing.promise;
      await route.continue();
    });
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "The newest" }).click();
    const start = dialog.getByRole("button", { name: "Start" });
    // Without a name, which the versions of the model give it, the form is not sent.
    await expect.poll(() => dialog.getByLabel("Name").inputValue()).not.toBe("");
    const listed = page.waitForRequest(/\/files\?/);
    await start.click();
    await listed;
    await expect.poll(() => start.isDisabled()).toBe(true);
    listing.resolve();
    await page.waitForURL(/\/benchmarks\/bmk_\w+$/);
    const runs = `/api/v1/projects/${given.office.projectId}/benchmarks`;
    expect((await getBody(given.rest.get(runs), 200)).data.length).toBe(1);
  });

  it("accepts one extraction while the keys are held down", async () => {
    const { rest, office } = given;
    const numbers = [1, 2, 3, 4];
    for (const number of numbers) await classify({ text: `${invoiceText}\nInvoice number: ${number}` });
    const list = `/api/v1/projects/${office.projectId}/review?kind=EXTRACTION`;
    await expect.poll(async () => (await getBody(rest.get(list), 200)).data.length).toBe(numbers.length);
    const [first] = (await getBody(rest.get(list), 200)).data;
    const { page, requested } = await open(`/inbox/extractions/${first.extractionId}`);
    const accept = page.getByRole("button", { name: /^Accept/ });
    await accept.waitFor();
    const left = page.url();
    let isNextShown = false;
    const nextShown = page
      .waitForURL((url) => url.href !== left)
      .then(() => accept.waitFor())
      .finally(() => (isNextShown = true));
    await page.keyboard.down("Control");
    // A key that stays down is repeated, also on the next page.
    for (let times = 0; times < 60; times += isNextShown ? 1 : 0) {
      await page.keyboard.down("Enter");
      await sleep(50);
    }
    await nextShown;
    expect(count(requested, /:accept$/)).toBe(1);
  });

  it("requests the picture of a page once, and no values of a tried document after they have come", async () => {
    const bytes = await sample("invoice-harbour-lane.pdf");
    const record = await getBody(given.rest.upload(inbox(), "invoice.pdf", bytes), 201);
    const review = `${inbox()}/classifications/${record.id}:review`;
    await getBody(given.rest.post(review, { routeId: null, extract: false }), 200);
    const reviewed = await open(`/inbox/classifications/${record.classifierId}/${record.id}`);
    await reviewed.page.getByRole("img", { name: "Page 1" }).waitFor();
    const withdraw = reviewed.page.getByRole("button", { name: "Withdraw the review" });
    const text = /\/files\/\w+\/text$/;
    await expect.poll(() => count(reviewed.requested, text)).toBeGreaterThan(0);
    const texts = count(reviewed.requested, text);
    await withdraw.click();
    await withdraw.waitFor({ state: "detached" });
    // The event of the change may have it requested once more.
    await expect.poll(() => count(reviewed.requested, text)).toBeGreaterThan(texts);
    expect(count(reviewed.requested, /\/pages\/1\/image/)).toBe(1);
    await reviewed.page.close();

    const tried = await open("/try-it");
    const file = { name: "tried.txt", mimeType: "text/plain", buffer: Buffer.from(invoiceText) };
    await tried.page.locator('input[type="file"]').setInputFiles(file);
    await tried.page.getByRole("table", { name: "Extracted values" }).waitFor();
    const extraction = /\/extractions\/ext_/;
    const before = count(tried.requested, extraction);
    await sleep(2_500);
    expect(count(tried.requested, extraction)).toBe(before);
  });

  it("asks before a page is left whose input is not saved", async () => {
    const { rest, office } = given;
    const record = await classify({ text: `${invoiceText}\nInvoice number: 77` });
    const extraction = `/inbox/extractions/${record.extraction.id}`;
    const { page, complaints } = await open(extraction);
    const asked: string[] = [];
    let isLeft = false;
    page.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await (isLeft ? dialog.accept() : dialog.dismiss());
    });
    const leave = (name: string) => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click();
    const enter = async (address: string, label: string): Promise<void> => {
      expect(page.url()).toContain(address);
      await page.getByLabel(label).first().fill("7");
      await leave("Inbox");
      await page.getByRole("button", { name: "Sign out" }).click();
      // Nothing was lost by the refusals.
      expect(page.url()).toContain(address);
      expect(await page.getByLabel(label).first().inputValue()).toBe("7");
      expect(asked.splice(0)).toEqual(["confirm", "confirm"]);
    };
    await enter(extraction, "Total amount");
    isLeft = true;
    await page.reload();
    expect(asked.splice(0)).toEqual(["beforeunload"]);
    await page.getByLabel("Total amount").fill("7");
    await leave("Models");
    await page.getByRole("table", { name: "Models" }).waitFor();
    expect(asked.splice(0)).toEqual(["confirm"]);

    // Other addresses of a page are no other pages.
    isLeft = false;
    await page.getByRole("table", { name: "Models" }).getByRole("link", { name: "Receipts" }).click();
    await page.getByLabel("Instructions").first().fill("7");
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("tab", { name: "Schema" }).click();
    expect(asked).toEqual([]);
    await enter(`/models/${office.receipts}`, "Instructions");
    await page.getByRole("button", { name: "Discard" }).click();
    await leave("Classifiers");
    await page.getByRole("table", { name: "Classifiers" }).getByRole("link").first().click();
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByLabel("Description").fill("7");
    await page.getByRole("tab", { name: "Routes" }).click();
    await page.getByRole("tab", { name: "Settings" }).click();
    await enter(`/classifiers/${office.classifier}`, "Description");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The settings are saved.").waitFor();
    expect(await page.getByLabel("Description").inputValue()).toBe("7");
    await leave("Inbox");
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();

    // What was saved is not asked about.
    await page.getByRole("tab", { name: "Extractions" }).click();
    await page.getByRole("link", { name: record.extraction.id }).click();
    await page.getByLabel("Total amount").fill("7");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL((url) => !url.href.endsWith(extraction));
    const accepted = `/api/v1/files/${record.fileId}/accepted-values?deploymentId=${record.deploymentId}`;
    expect((await getBody(rest.get(accepted), 200)).tables[0].rows[0].values.total).toBe(7);
    expect(asked).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("tries documents and copies on a page without TLS", async () => {
    const context = await createContext(browser.context.browser()!);
    // Browsers offer them in secure contexts only, to which this machine's address belongs.
    await context.addInitScript("delete Crypto.prototype.randomUUID; delete Navigator.prototype.clipboard");
    const address = `/projects/${given.office.projectId}/try-it`;
    const { page, complaints } = await openConsole(context, given.system.url, given.system.token, address);
    const file = { name: "tried.txt", mimeType: "text/plain", buffer: Buffer.from(invoiceText) };
    const input = page.locator('input[type="file"]');
    for (let times = 0; times < 2; times += 1) await input.setInputFiles(file);
    await expect.poll(() => page.getByRole("article", { name: "tried.txt" }).getByRole("table").count()).toBe(2);
    await page.getByRole("button", { name: "Calls of this page" }).click();
    const copy = page.getByRole("button", { name: "Copy as command" }).last();
    await copy.focus();
    await page.keyboard.press("Enter");
    // It says so for two seconds.
    await page.getByRole("button", { name: "Copied" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    const project = page.getByRole("combobox", { name: "Project" });
    await project.click();
    await page.keyboard.press("Control+V");
    await expect.poll(() => project.inputValue()).toContain("switchyard api ");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("ends a change although something that is shown is slow", async () => {
    const { page } = await open("/models");
    await page.getByRole("table", { name: "Models" }).waitFor();
    const listing = Promise.withResolvers<void>();
    await page.route(/\/deployments$/, async (route) => {
      if (route.request().method() === "GET") await listing.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: "New model" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Contracts");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.waitForURL(/\/models\/mdl_\w+$/, { timeout: 20_000 });
    listing.resolve();
    await page.getByRole("heading", { level: 1, name: "Contracts" }).waitFor();
  });

  it("says why the original of a document cannot be downloaded", async () => {
    const record = await classify({ text: "Nothing in particular", extract: false });
    const { page } = await open(`/inbox/classifications/${record.classifierId}/${record.id}`);
    const download = page.getByRole("button", { name: "Download the original" });
    await download.waitFor();
    await getBody(given.rest.send(`/api/v1/files/${record.fileId}`, { method: "DELETE" }), 204);
    await download.click();
    await page.getByRole("alert").getByText(`There is no file "${record.fileId}".`).first().waitFor();
  });

  it("shows the next page of a list in a busy project, and requests nothing again after the list was left", async () => {
    const { rest, office } = given;
    const items = Array.from({ length: 60 }, (_, index) => ({
      text: `Nothing in particular ${index}`,
      extract: false,
    }));
    await getBody(rest.post(`${inbox()}:batchClassify`, { items }), 200);
    const { page, requested } = await open("/inbox?list=classifications&status=UNCLASSIFIED");
    const rows = page.getByRole("table", { name: "Classifications" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(51);
    const next = Promise.withResolvers<void>();
    await page.route(/pageToken=/, async (route) => {
      await next.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/pageToken=/);
    await page.getByRole("button", { name: "Show more" }).click();
    await asked;
    // The event of this would interrupt the request of the page. What else is shown is requested again.
    const refreshed = page.waitForRequest(/\/classify\?projectId=/);
    await classify({ text: "Something else", extract: false });
    await refreshed;
    next.resolve();
    await expect.poll(() => rows.count()).toBeGreaterThan(60);

    await page.getByRole("link", { name: "Models" }).click();
    await page.getByRole("table", { name: "Models" }).waitFor();
    const listed = new RegExp(`/projects/${office.projectId}/deployments$`);
    const before = count(requested, listed);
    await sleep(1_500);
    expect(count(requested, listed)).toBe(before);
  });
});
