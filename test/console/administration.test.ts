import type { Page } from "playwright-core";
import { chromium, describeWith } from "../programs.ts";
import { createRest } from "../rest.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { findDialogViolations, findViolations, givenContext, openConsole } from "./opening.ts";

describeWith(chromium, "the administration in the console", (path) => {
  const engine = { protocol: "openai", models: ["small", "large"], structuredOutput: "none" };
  const given = givenOffice("one process", {
    engines: { file: { office: { ...engine, baseUrl: "http://127.0.0.1:1/v1" } } },
  });
  const browser = givenContext(path);

  const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
  const open = (token: string, part: string) =>
    openConsole(browser.context, given.system.url, token, `/administration/${part}`);
  /** Returns the secret that a dialog shows, and closes it. */
  const takeSecret = async (page: Page): Promise<string> => {
    const dialog = page.getByRole("dialog", { name: /The secret of the token/ });
    const secret = await dialog.getByLabel("Secret", { exact: true }).inputValue();
    // Neither a key nor a click beside it loses the secret.
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "I have stored the secret" }).click();
    await dialog.waitFor({ state: "detached" });
    return secret;
  };
  const everythingOf = (page: Page): Promise<string> =>
    page.evaluate(
      "JSON.stringify([document.documentElement.outerHTML, location.href, sessionStorage, localStorage, document.cookie," +
        " [...document.querySelectorAll('input')].map(({ value }) => value)])",
    );

  it("returns the keyboard focus to what opened a dialog", async () => {
    const { page } = await open(given.system.token, "projects");
    const focused = () =>
      page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
    for (const name of ["New project", "Edit Accounts payable"]) {
      await page.getByRole("button", { name, exact: true }).press("Enter");
      await page.getByRole("dialog").waitFor();
      await expect.poll(focused).not.toBe(name);
      await page.keyboard.press("Escape");
      await expect.poll(focused).toBe(name);
    }
  });

  it("shows the secret of a token once, rotates it, and shows a project token its project only", async () => {
    const { system, office, rest } = given;
    await getBody(rest.post("/api/v1/projects", { name: "Secret project" }), 201);
    const { page, complaints } = await open(system.token, "tokens");
    await page.getByText("Your token", { exact: true }).waitFor();
    // A narrow column breaks a time between the day and the hour, and not within the year.
    const dayLines = await page.evaluate<number>(`(() => {
      const cell = [...document.querySelectorAll("td")].find(({ textContent }) => /^\\d+\\s\\w+\\s\\d+, /.test(textContent));
      const range = document.createRange();
      range.setStart(cell.firstChild, 0);
      range.setEnd(cell.firstChild, cell.textContent.indexOf(",") + 1);
      return range.getClientRects().length;
    })()`);
    expect(dayLines).toBe(1);
    await page.getByRole("button", { name: "New token" }).click();
    const form = page.getByRole("dialog", { name: "New token" });
    await form.getByLabel("Name").fill("Reviewers");
    await form.getByRole("combobox", { name: "Project" }).click();
    await page.getByRole("option", { name: "Accounts payable" }).click();
    for (const permission of ["documents:read", "tokens:admin"])
      await form.getByRole("checkbox", { name: permission }).check();
    expect(await form.getByRole("checkbox", { name: "organization:admin" }).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await form.getByRole("button", { name: "Create the token" }).click();
    const first = await takeSecret(page);
    await row(page, "Reviewers").getByText("Active").waitFor();
    expect(await everythingOf(page)).not.toContain(first);
    expect((await getBody(createRest(system.url, first).get("/api/v1/me"), 200)).token).toMatchObject({
      ...{ name: "Reviewers", scope: "PROJECT", projectId: office.projectId },
      ...{ permissions: ["documents:read", "tokens:admin"], expiresAt: expect.any(String) },
    });

    await page.getByRole("button", { name: "Rotate Reviewers" }).click();
    expect(await findDialogViolations(page)).toEqual([]);
    await page.getByRole("dialog", { name: "Rotate the token" }).getByRole("button", { name: "Rotate" }).click();
    const second = await takeSecret(page);
    expect(second).not.toBe(first);
    // The old secret is valid for the grace period.
    for (const secret of [first, second]) await getBody(createRest(system.url, secret).get("/api/v1/me"), 200);

    const limited = await open(second, "tokens");
    await row(limited.page, "Reviewers").getByText("Your token").waitFor();
    const parts = limited.page.getByRole("navigation", { name: "Parts of the administration" });
    expect(await parts.getByRole("link").allTextContents()).toEqual(["Tokens", "Health"]);
    expect(await everythingOf(limited.page)).not.toContain("Secret project");
    await limited.page.goto(`${system.url}/console/administration/audit`);
    await limited.page.getByText("There is no such page").waitFor();

    // The same token without its right to administer: no administration at all.
    const reader = await getBody(
      rest.post("/api/v1/tokens", {
        ...{ name: "Reader", scope: "PROJECT", projectId: office.projectId, permissions: ["documents:read"] },
      }),
      201,
    );
    const plain = await openConsole(browser.context, system.url, reader.secret);
    await plain.page.getByRole("link", { name: "Values" }).waitFor();
    expect(await plain.page.getByRole("link", { name: "Administration" }).count()).toBe(0);
    await plain.page.getByRole("combobox", { name: "Project" }).click();
    const options = plain.page.getByRole("option");
    await expect.poll(() => options.allTextContents()).toEqual(["Accounts payable"]);
    await plain.page.goto(`${system.url}/console/administration/tokens`);
    await plain.page.getByRole("heading", { level: 1, name: "There is no such page" }).waitFor();

    // A project that is chosen from here opens with a page that the token may see, and so does its address alone.
    const { token } = await getBody(rest.get("/api/v1/me"), 200);
    const permissions = ["models:read", "tokens:admin"];
    const editor = { name: "Editor", scope: "ORGANIZATION", teamIds: token.teamIds, permissions };
    const { secret } = await getBody(rest.post("/api/v1/tokens", editor), 201);
    const edited = await open(secret, "tokens");
    await edited.page.getByRole("combobox", { name: "Project" }).click();
    await edited.page.getByRole("option", { name: "Secret project" }).click();
    const classifiers = edited.page.getByRole("heading", { level: 1, name: "Classifiers" });
    await classifiers.waitFor();
    await edited.page.goto(edited.page.url().replace(/\/classifiers$/, ""));
    await classifiers.waitFor();

    await page.getByRole("button", { name: "Revoke Reviewers" }).click();
    expect(await findDialogViolations(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row(page, "Reviewers").getByText("Revoked").waitFor();
    // The last administrator stays, and the server says why.
    await row(page, "Your token").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("alert").getByText("LAST_ADMINISTRATOR").waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findViolations(page)).toEqual([]);
    expect(complaints.filter((text) => !text.includes("409"))).toEqual([]);
  });

  it("creates, changes and deletes projects, teams and users, and shows who did it", async () => {
    const { system } = given;
    const { page, complaints } = await open(system.token, "users");
    const parts = page.getByRole("navigation", { name: "Parts of the administration" });
    await page.getByRole("button", { name: "New user" }).click();
    expect(await findDialogViolations(page)).toEqual([]);
    await page.getByRole("dialog").getByLabel("Name").fill("Grace");
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await row(page, "Grace").waitFor();
    expect(await findViolations(page)).toEqual([]);

    await parts.getByRole("link", { name: "Projects" }).click();
    await page.getByRole("button", { name: "New project" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Contracts");
    // A double click whose second click comes before the first has any effect creates one project.
    const create = page.getByRole("dialog").getByRole("button", { name: "Create" });
    await create.evaluate((button: any) => {
      const { MouseEvent } = globalThis as any;
      for (const detail of [1, 2])
        button.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail }));
    });
    await row(page, "Contracts").getByText("Everyone").waitFor();
    const { data: projects } = await getBody(given.rest.get("/api/v1/projects"), 200);
    expect(projects.filter(({ name }: { name: string }) => name === "Contracts")).toHaveLength(1);
    await page.getByRole("button", { name: "Edit Contracts" }).click();
    expect(await findDialogViolations(page)).toEqual([]);
    await page.getByRole("dialog").getByLabel("Name").fill("Contracts & more");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await row(page, "Contracts & more").waitFor();

    await parts.getByRole("link", { name: "Engines" }).click();
    await row(page, "local").getByText("Ready").waitFor();
    await row(page, "office").filter({ hasText: "small, large" }).getByText("Does not respond").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await everythingOf(page)).not.toContain("127.0.0.1:1/");

    await parts.getByRole("link", { name: "Teams" }).click();
    await page.getByRole("button", { name: "New team" }).click();
    const form = page.getByRole("dialog", { name: "New team" });
    expect(await findDialogViolations(page)).toEqual([]);
    await form.getByLabel("Name").fill("Legal");
    await form.getByRole("combobox", { name: "Projects" }).click();
    await page.getByRole("option", { name: "Contracts & more" }).click();
    await page.keyboard.press("Tab");
    await form.getByRole("combobox", { name: "Users" }).click();
    await page.getByRole("option", { name: "Grace" }).click();
    await page.keyboard.press("Tab");
    await form.getByRole("button", { name: "Create" }).click();
    await row(page, "Legal").getByText("Grace").waitFor();
    await row(page, "Legal").getByText("Contracts & more").waitFor();
    expect(await findViolations(page)).toEqual([]);

    await parts.getByRole("link", { name: "Projects" }).click();
    await page.getByRole("button", { name: "Delete Contracts & more" }).click();
    const confirmation = page.getByRole("dialog", { name: "Delete the project" });
    expect(await confirmation.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    expect(await findDialogViolations(page)).toEqual([]);
    await confirmation.getByRole("textbox").fill("Contracts & more");
    await confirmation.getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => row(page, "Contracts & more").count()).toBe(0);
    await row(page, "Accounts payable").waitFor();
    expect(await findViolations(page)).toEqual([]);

    await parts.getByRole("link", { name: "Audit trail" }).click();
    await row(page, "project.delete").getByText("Done").waitFor();
    await page.getByLabel("Action", { exact: true }).fill("team.create");
    await page.waitForURL(/action=team\.create/);
    await row(page, "team.create").waitFor();
    await expect.poll(() => row(page, "project.delete").count()).toBe(0);
    await page.reload();
    await row(page, "team.create").waitFor();
    expect(await row(page, "project.delete").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);

    await parts.getByRole("link", { name: "Health" }).click();
    await row(page, "Services and storage").getByText("Works").waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
