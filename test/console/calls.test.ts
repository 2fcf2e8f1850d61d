import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { createCliRunner } from "../cli/terminal.ts";
import type { CliRunner } from "../cli/terminal.ts";
import { sample } from "../journeys/fixture.ts";
import { chromium, describeWith } from "../programs.ts";
import { acceptedInvoice, finishedExecution } from "../specification/testing/benchmarks.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { createContext, startChromium } from "../viewer/browsing.ts";
import { emptyOrganizationPages, emptyPages } from "./empty-pages.ts";
import type { Empty, EmptyPage } from "./empty-pages.ts";
import { findViolations, findViolationsInBothSchemes, moveTo, openConsole } from "./opening.ts";
import { pages } from "./pages.ts";
import type { Shown } from "./pages.ts";

const execute = promisify(execFile);

describeWith(chromium, "the pages of the console", (path) => {
  const given = givenOffice();
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let cli: CliRunner;
  let folder: string;
  let ids: Shown;
  let empty: Empty;

  beforeAll(async () => {
    const { rest, office, system } = given;
    const { projectId, classifier, invoices } = office;
    folder = await mkdtemp(join(tmpdir(), "switchyard-calls-"));
    await writeFile(join(folder, "FILE"), "INVOICE\nTotal due: 12.50");
    cli = await createCliRunner(system);
    const bytes = await sample("invoice-harbour-lane.pdf");
    const record = await getBody(rest.upload(`/api/v1/classify/${classifier}`, "invoice.pdf", bytes), 201);
    const { data: routes } = await getBody(rest.get(`/api/v1/classify/${classifier}/routes`), 200);
    const review = `/api/v1/classify/${classifier}/classifications/${record.id}:review`;
    await getBody(rest.post(review, { routeId: routes[0].id, extract: false }), 200);
    await getBody(rest.post("/api/v1/teams", { name: "Bookkeepers", projectIds: [], userIds: [] }), 201);
    await getBody(rest.post("/api/v1/users", { name: "Ada Lovelace" }), 201);
    const noKind = new TextEncoder().encode("Zwei Boxkämpfer jagen Eva quer durch Sylt.");
    await getBody(rest.upload(`/api/v1/classify/${classifier}`, "left.txt", noKind), 201);
    const file = await acceptedInvoice(rest, office, "accepted.pdf", bytes);
    const start = async (name: string): Promise<string> => {
      const runs = `/api/v1/projects/${projectId}/benchmarks`;
      const { executionId } = await getBody(rest.post(runs, { deploymentId: invoices, name }), 201);
      await finishedExecution(rest, executionId);
      return executionId;
    };
    await start("Run before");
    const made = { classification: record.id, extraction: record.extraction.id, model: invoices };
    ids = { projectId, classifier, ...made, run: await start("First run"), file };
    const create = async (path: string, body: object): Promise<string> =>
      (await getBody(rest.post(`/api/v1/${path}`, body), 201)).id;
    const begun = await create("projects", { name: "Begun" });
    empty = {
      projectId: await create("projects", { name: "Empty" }),
      begun: {
        projectId: begun,
        classifier: await create("classify", { projectId: begun, name: "Begun", routes: [] }),
        model: await create(`projects/${begun}/deployments`, { name: "Begun" }),
      },
      used: { projectId, model: office.receipts },
    };
    browser = await startChromium(path);
    context = await createContext(browser);
    ({ page } = await openConsole(context, system.url, system.token));
  });
  afterAll(async () => {
    await browser?.close();
    await cli?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the calls of the open page, once these are among them, as they are listed and as they are copied. */
  const copyAll = async (expected: readonly string[]): Promise<{ call: string; curl: string; command: string }[]> => {
    await page.getByRole("button", { name: "Calls of this page" }).click();
    const dialog = page.getByRole("dialog");
    for (const call of expected) await dialog.locator("pre").filter({ hasText: call }).first().waitFor();
    // Nothing covers the buttons.
    await dialog.getByRole("button", { name: "Copy as command" }).last().click({ trial: true });
    const { calls, copied } = await page.evaluate<{ calls: string[]; copied: string[] }>(`(() => {
      const copied = [];
      navigator.clipboard.writeText = async (text) => void copied.push(text);
      const find = (selector) => [...document.querySelectorAll("[role=dialog] " + selector)];
      for (const button of find("button")) button.click();
      return { calls: find("pre").map(({ textContent }) => textContent), copied };
    })()`);
    expect(copied.length).toBe(2 * calls.length);
    return calls.map((call, index) => ({
      call,
      curl: copied[2 * index] ?? "",
      command: copied[2 * index + 1] ?? "",
    }));
  };

  /** Runs a command line of curl in a shell. Returns its status and its body. A stream does not end, so it is left after a while. */
  const runCurl = async (line: string, seconds: number): Promise<{ status: number; body: string }> => {
    const env = { PATH: process.env["PATH"] ?? "", SWITCHYARD_TOKEN: given.system.token };
    const limited = `${line} --silent --max-time ${seconds} --write-out '\\n%{http_code}'`;
    const { stdout } = await execute("/bin/sh", ["-c", limited], { cwd: folder, env, maxBuffer: 2 ** 26 }).catch(
      (error: { stdout: string }) => error,
    );
    const [, body = "", status = ""] = /^([^]*)\n(\d+)$/.exec(stdout) ?? [];
    return { status: Number(status), body };
  };

  /**
   * The responses to calls that read, by their lines. Pages that have the same call copy the same lines, which run once until a page changes
   * something.
   */
  const known = new Map<string, string>();
  const titles: string[] = [];

  /** Runs a command line of `switchyard` with the words that a shell makes of it. */
  const runCommand = async (line: string) => {
    const { stdout } = await execute("/bin/sh", ["-c", `switchyard() { printf '%s\\0' "$@"; }; ${line}`]);
    return cli.run(stdout.split("\0").slice(0, -1), { folder });
  };

  it.each(Object.entries(pages))(
    "show %s to everyone, to be exported and with calls that run",
    async (_, { address, calls, data, act }) => {
      await page.goto(`${given.system.url}/console${address(ids)}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByLabel("Loading").first().waitFor({ state: "detached" });
      await act?.(page);
      await page
        .getByRole("main")
        .getByText(new RegExp(data.replaceAll("$", "\\$")))
        .first()
        .waitFor({ state: "attached" });
      expect(await findViolationsInBothSchemes(page)).toEqual([]);
      // In the history and in the list of tabs, each page has a name of its own.
      const title = await page.title();
      expect(title).toMatch(/^.+ · Switchyard$/);
      expect(titles).not.toContain(title);
      titles.push(title);
      // Every table can be exported. One with fields in it is a form.
      const tables = page.getByRole("main").getByRole("table");
      const forms = tables.filter({ has: page.getByRole("textbox") });
      const exports = page.getByRole("main").getByRole("button", { name: "Export", exact: true });
      const withoutExport = async () => (await tables.count()) - (await forms.count()) - (await exports.count());
      await expect.poll(withoutExport).toBe(0);
      const copied = await copyAll(calls(ids));
      if (copied.some(({ call }) => !call.startsWith("GET"))) known.clear();
      let bodies = "";
      for (const { call, curl, command } of copied) {
        const made = known.get(curl + command);
        if (made !== undefined) {
          bodies += made;
          continue;
        }
        const isStream = call.endsWith("/events");
        const { status, body } = await runCurl(curl, isStream ? 3 : 60);
        expect([call, Math.floor(status / 100)]).toEqual([call, 2]);
        bodies += body;
        if (call.startsWith("GET /api/")) known.set(curl + command, body);
        else known.clear();
        if (isStream) continue;
        const { exitCode, stdout, stderr } = await runCommand(command);
        expect([call, exitCode, stderr]).toEqual([call, 0, ""]);
        // The same response, whichever is used: a record that was made has an ID of its own.
        if (call.startsWith("GET /api/")) expect([call, stdout]).toEqual([call, body]);
      }
      expect(bodies).toContain(data);
    },
  );

  it("say to everyone that their data has not arrived yet", async () => {
    const slow = await createContext(browser);
    // Only what the header shows arrives. The pages of the projects and of the health need nothing else of the API.
    await slow.route(/\/api\/v1\/(?!me$|projects$)/, () => undefined);
    const opened = await openConsole(slow, given.system.url, given.system.token);
    for (const { address } of Object.values(pages)) {
      const shown = address(ids);
      if (/(?:projects|health)$/.test(shown)) continue;
      await moveTo(opened.page, shown);
      await opened.page.getByRole("heading", { level: 1 }).waitFor();
      await opened.page.getByRole("status", { name: "Loading" }).first().waitFor();
      expect([shown, ...(await findViolations(opened.page))]).toEqual([shown]);
    }
    await slow.close();
  });

  const leadOn = async (shown: Page, { address, text, link, button, leadsTo }: EmptyPage): Promise<void> => {
    await moveTo(shown, address(empty));
    const main = shown.getByRole("main");
    await main.getByText(text).first().waitFor();
    if (link !== undefined) {
      await main.getByRole("link", { name: link, exact: true }).click();
      await main.getByRole("heading", { level: 1, name: leadsTo, exact: true }).waitFor();
    } else {
      await main.getByRole("button", { name: button ?? "", exact: true }).click();
      const dialog = shown.getByRole("dialog", { name: leadsTo, exact: true });
      await dialog.waitFor();
      await shown.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  };

  it.each(Object.entries(emptyPages))("say the next step where %s would be, and lead to it", async (_, each) => {
    await leadOn(page, each);
  });

  it("say the next step in an organization without a project", async () => {
    const { system } = given;
    const opened = await openConsole(context, system.url, await system.anotherOrganization("Empty"));
    for (const each of Object.values(emptyOrganizationPages)) await leadOn(opened.page, each);
    expect(opened.complaints).toEqual([]);
    await opened.page.close();
  });

  it("distinguish a filter without matches from an empty list", async () => {
    for (const filter of [
      "kind=EXTRACTION",
      "list=classifications&reason=NO_ROUTES",
      "list=extractions&status=FAILED",
    ]) {
      await moveTo(page, `/projects/${empty.projectId}/inbox?${filter}`);
      await page.getByText("Nothing matches these filters.").waitFor();
    }
  });

  // The last test, because it renames what the others look for.
  it("fit on a phone, with names that have no spaces", async () => {
    const { rest, office, system } = given;
    const name = "W".repeat(120);
    for (const renamed of [`projects/${ids.projectId}`, `classify/${ids.classifier}`, `deployments/${ids.model}`])
      await getBody(rest.patch(`/api/v1/${renamed}`, { name }), 200);
    const bytes = await sample("invoice-harbour-lane.pdf");
    const file = await acceptedInvoice(rest, office, `${name}.pdf`, bytes);
    const { id: extraction } = await getBody(
      rest.post(`/api/v1/deployments/${ids.model}/extractions`, { fileId: file }),
      201,
    );
    const phone = await openConsole(context, system.url, system.token);
    await phone.page.setViewportSize({ width: 320, height: 640 });
    for (const { address } of Object.values(pages)) {
      const shown = address({ ...ids, extraction });
      await moveTo(phone.page, shown);
      await phone.page.getByRole("heading", { level: 1 }).waitFor();
      await phone.page.getByLabel("Loading").first().waitFor({ state: "detached" });
      expect([shown, await phone.page.evaluate("document.documentElement.scrollWidth")]).toEqual([shown, 320]);
      const button = await phone.page.getByRole("button", { name: "Sign out" }).boundingBox();
      expect(button!.x + button!.width, shown).toBeLessThanOrEqual(320);
    }
    // A wide page shows all columns of a table.
    await phone.page.setViewportSize({ width: 1280, height: 800 });
    await moveTo(phone.page, `/projects/${ids.projectId}/inbox?list=extractions`);
    const table = phone.page.getByRole("table");
    await table.getByText(name).first().waitFor();
    await expect.poll(async () => (await table.boundingBox())!.width).toBeLessThan(1280 - 210);
    const routes = `/api/v1/classify/${ids.classifier}/routes`;
    const { data } = await getBody(rest.get(routes), 200);
    await getBody(rest.patch(`${routes}/${data[0].id}`, { description: name }), 200);
    await moveTo(phone.page, `/projects/${ids.projectId}/classifiers/${ids.classifier}`);
    await table.getByText(data[0].name, { exact: true }).first().waitFor();
    await expect.poll(async () => (await table.boundingBox())!.width).toBeLessThan(1280 - 210);
    // Its short words are in one line.
    await moveTo(phone.page, "/administration/audit?action=classification.review");
    const action = phone.page.getByRole("button", { name: "classification.review: only these" }).first();
    await action.waitFor();
    expect((await action.boundingBox())!.height).toBeLessThan(30);
    expect((await table.boundingBox())!.width).toBeLessThan(1280 - 210);
    await phone.page.close();
  }, 300_000);
});
