import axe from "axe-core";
import type { Result, RunOnly } from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { createOffice } from "../journeys/fixture.ts";
import { getBody } from "../specification/testing/office.ts";
import type { GivenOffice } from "../specification/testing/office.ts";
import { createContext, openPage, startChromium } from "../viewer/browsing.ts";
import type { WatchedPage } from "../viewer/browsing.ts";

/** A caller whose token reaches one project, and what is in another project of the same organization. */
export interface ProjectCaller {
  readonly token: string;
  /** IDs and names of the other project, which nothing that a page requests may contain. */
  readonly foreign: readonly string[];
}

const permissions = ["documents:read", "documents:write", "classify", "models:read", "models:edit"].concat([
  "benchmarks:read",
  "benchmarks:run",
]);

/** Creates a token that may do everything in a project, and another project with models, a classifier and a document. */
export async function createProjectCaller({ rest, office }: GivenOffice): Promise<ProjectCaller> {
  const body = { name: "Project", scope: "PROJECT", projectId: office.projectId, permissions };
  const { secret } = await getBody(rest.post("/api/v1/tokens", body), 201);
  const name = "Someone else's project";
  const other = await createOffice(rest, name);
  const text = `INVOICE\nNumber: ${name}`;
  const { id } = await getBody(rest.post(`/api/v1/classify/${other.classifier}`, { text, extract: false }), 201);
  return { token: secret, foreign: [name, id, ...Object.values(other)] };
}

/**
 * Starts Chromium before the surrounding tests, and ends it after them. They share a context, so that each page does not load and compile all
 * code again; a session belongs to a page. No page stays open after its test, except an empty one: with the last page, Chromium closes its
 * window, and opening another one takes it a third of a second of processor time.
 */
export function givenContext(path: string): { context: BrowserContext } {
  const given = {} as { context: BrowserContext };
  let browser: Browser | undefined;
  let empty: Page | undefined;
  beforeAll(async () => {
    browser = await startChromium(path);
    given.context = await createContext(browser);
    empty = await given.context.newPage();
  });
  afterEach(async () => {
    for (const page of given.context.pages()) if (page !== empty) await page.close();
  });
  afterAll(() => browser?.close());
  return given;
}

/**
 * Opens the console at an address under /console, signed in with a token. If it is the token of a project, a response with anything of the
 * other project is a complaint of the page.
 */
export async function openConsole(
  context: BrowserContext,
  url: string,
  caller: string | ProjectCaller,
  path = "",
): Promise<WatchedPage> {
  const { token, foreign } = typeof caller === "string" ? { token: caller, foreign: [] } : caller;
  const watched = await openPage(context, url, `/console${path}`);
  if (foreign.length > 0) watchFor(foreign, watched);
  await watched.page.getByLabel("Token").fill(token);
  await watched.page.getByRole("button", { name: "Sign in" }).click();
  await watched.page.getByRole("navigation", { name: "Pages" }).waitFor();
  return watched;
}

/** Leads a page of the console to another address, as its links do, which load nothing that is loaded already. */
export async function moveTo(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(`/console${address}`)})`);
}

/** Adds a complaint for each response that contains one of the words. */
function watchFor(words: readonly string[], { page, complaints }: WatchedPage): void {
  page.on("response", (response) => {
    const isPicture = response.headers()["content-type"]?.startsWith("image/") ?? false;
    if (isPicture || !new URL(response.url()).pathname.startsWith("/api/")) return;
    // A body that the page has left behind is gone, and a stream has none until it ends.
    const read = response.text().catch(() => "");
    void read.then((text) => {
      const found = words.filter((word) => text.includes(word));
      if (found.length > 0) complaints.push(`${response.url()} shows ${found.join(", ")}`);
    });
  });
}

/** The rules of axe that are checked: WCAG 2.2 AA, and what is recommended besides. */
const standard = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Returns the violations of WCAG 2.2 AA on a page as lines: the rule, and the elements. */
export async function findViolations(page: Page): Promise<string[]> {
  return analyze(page, standard);
}

/** Returns the violations in the open dialog, once it is there. The page under it was looked at before. */
export async function findDialogViolations(page: Page): Promise<string[]> {
  await page.getByRole("dialog").getByRole("button").last().waitFor();
  await page.waitForFunction("getComputedStyle(document.querySelector('[role=dialog]')).opacity === '1'");
  return analyze(page, standard, '[role="dialog"]');
}

/** Returns the violations of a page in light and in dark colors. Only contrast depends on the colors. */
export async function findViolationsInBothSchemes(page: Page): Promise<string[]> {
  await useColorScheme(page, "dark");
  const inDark = await analyze(page, { type: "rule", values: ["color-contrast", "link-in-text-block"] });
  await useColorScheme(page, "light");
  return [...inDark.map((violation) => `dark: ${violation}`), ...(await findViolations(page))];
}

async function useColorScheme(page: Page, colorScheme: "dark" | "light"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}

/**
 * Analyzes a page by axe, which is loaded into it once. The policy of the page does not concern what a debugger evaluates. Only of violations
 * are all elements described, which takes most of the time otherwise. The pages of the console have no frames.
 */
async function analyze(page: Page, runOnly: readonly string[] | RunOnly, selector?: string): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  await page.evaluate(finishTransitions);
  const options = { runOnly, resultTypes: ["violations"] };
  const run = `axe.run(${JSON.stringify(selector) ?? "document"}, ${JSON.stringify(options)})`;
  const violations = await page.evaluate<Result[]>(`${run}.then(({ violations }) => violations)`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

/** Ends all changes of colors and places at once, so that none is seen halfway. Endless animations continue. */
const finishTransitions = `(async () => {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  for (;;) {
    await nextFrame();
    await nextFrame();
    const running = document
      .getAnimations()
      .filter(({ effect, playState }) => playState !== "finished" && effect.getComputedTiming().endTime !== Infinity);
    if (running.length === 0) return;
    for (const animation of running) animation.finish();
  }
})()`;
