import type { Page } from "playwright-core";
import { measureClick } from "./clicks.ts";
import type { Click, ClickTimes, Shown } from "./clicks.ts";

/** The project whose pages are opened, and an extraction of it whose document has several pages. */
export interface MeasuredProject {
  /** The origin of the server. */
  readonly origin: string;
  readonly projectId: string;
  readonly extractionId: string;
}

/** A row of a table. */
const row = (table: string, text?: string): Shown => ({
  selector: `table[aria-label="${table}"] tbody tr`,
  ...(text !== undefined && { text }),
});

/** The clicks through the pages of a project, in an order in which each finds its control. The first one is made on the page "Try it". */
function getClicks(page: Page): Click[] {
  const link = (name: string) => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name });
  const tab = (name: string) => page.getByRole("tab", { name });
  const firstLink = (table: string) => page.getByRole("table", { name: table }).getByRole("link").first();
  const part = (name: string) => page.getByRole("navigation", { name: /^Parts/ }).getByRole("link", { name });
  return [
    { name: "classifiers", control: link("Classifiers"), shown: [row("Classifiers")] },
    {
      name: "a classifier",
      control: firstLink("Classifiers"),
      shown: [row("Routes"), { selector: ".react-flow__node" }],
    },
    { name: "its settings", control: tab("Settings"), shown: [{ selector: "form button[type=submit]", text: "Save" }] },
    { name: "its quality", control: tab("Quality"), shown: [{ selector: "[role=tabpanel] p", text: "reviewed" }] },
    { name: "models", control: link("Models"), shown: [row("Models")] },
    {
      name: "a model",
      control: page.getByRole("table", { name: "Models" }).getByRole("link", { name: "Invoices" }),
      shown: [row("Columns of Invoice")],
    },
    { name: "its versions", control: tab("Versions"), shown: [row("Versions")] },
    { name: "benchmarks", control: link("Benchmarks"), shown: [row("Runs", "%")] },
    { name: "a run", control: firstLink("Runs"), shown: [row("Accuracy by column")] },
    { name: "its files", control: part("Files"), shown: [row("Files, the worst first")] },
    { name: "the cells of a file", control: firstLink("Files, the worst first"), shown: [row("Cells")] },
    {
      name: "a cell on the page of its document",
      control: firstLink("Cells"),
      shown: [{ selector: 'section[aria-label="The cells on the page"] img' }],
    },
    { name: "values", control: link("Values"), shown: [row("Values")] },
    { name: "inbox", control: link("Inbox"), shown: [row("To review")] },
    { name: "classifications", control: tab("Classifications"), shown: [row("Classifications")] },
    { name: "extractions", control: tab("Extractions"), shown: [row("Extractions")] },
    { name: "administration", control: link("Administration"), shown: [row("Projects")] },
    { name: "tokens", control: part("Tokens"), shown: [row("Tokens")] },
    { name: "audit", control: part("Audit trail"), shown: [row("Audit trail")] },
    { name: "try it", control: link("Try it"), shown: [{ selector: "button", text: "Choose documents" }] },
  ];
}

/**
 * Measures the clicks through the pages of a project as a person makes them who has just opened the console: the page is reloaded, so no
 * page has its data yet, and what the console loads on its own while it is idle has arrived. Then a page of a document is turned.
 */
export async function measureRound(page: Page, project: MeasuredProject): Promise<Map<string, ClickTimes>> {
  const { origin, projectId, extractionId } = project;
  const took = new Map<string, ClickTimes>();
  await page.goto(`${origin}/console/projects/${projectId}/try-it`);
  await page.getByRole("button", { name: "Choose documents" }).waitFor();
  await page.waitForLoadState("networkidle");
  for (const click of getClicks(page)) took.set(click.name, await measureClick(page, click));
  await page.goto(`${origin}/console/projects/${projectId}/inbox/extractions/${extractionId}`);
  await page.getByRole("img", { name: "Page 1", exact: true }).waitFor();
  const turn: Click = {
    name: "next page of a document",
    control: page.getByRole("button", { name: "Page 2", exact: true }),
    shown: [{ selector: 'img[alt="Page 2"]' }],
  };
  took.set(turn.name, await measureClick(page, turn));
  return took;
}
