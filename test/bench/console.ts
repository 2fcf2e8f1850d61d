import { insertClassifiers } from "@switchyard/classifier/testing";
import { createPdf } from "@switchyard/extraction/testing/pdf";
import type { Browser, Locator, Page } from "playwright-core";
import { openConsole } from "../console/opening.ts";
import { finishedExtraction } from "../journeys/fixture.ts";
import { chromium, findProgram } from "../programs.ts";
import { getBody } from "../specification/testing/office.ts";
import { createSampleWorld } from "../specification/testing/sample-world.ts";
import type { SampleWorld } from "../specification/testing/sample-world.ts";
import { createSkewedWorld } from "../specification/testing/skewed-lists.ts";
import { startTestSystem } from "../system.ts";
import { startChromium } from "../viewer/browsing.ts";
import { getMedian } from "./testing/measuring.ts";

/** The number of records, extractions, files, values and audit entries of the large organization. */
const records = Number(process.env["SWITCHYARD_BENCH_RECORDS"] ?? 100_000);
const classifiers = 1_000;
const pages = 200;
const rounds = 5;
/** The aim for every click on an idle machine, which is printed beside the figures. */
const aimMs = 200;
/** The maximum ratio of a click in the large organization to the same click in one that is almost empty, beyond a tolerance in milliseconds. */
const maxRatio = 4;
const noiseMs = 100;

/** A click in the console, and what a person then sees. */
interface Click {
  readonly name: string;
  readonly control: Locator;
  readonly shown: Locator;
}

/** The clicks through the pages of a project, in an order in which each finds its control. */
function getClicks(page: Page): Click[] {
  const link = (name: string) => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name });
  const tab = (name: string) => page.getByRole("tab", { name });
  const firstRow = (table: string) => page.getByRole("table", { name: table }).getByRole("row").nth(1);
  return [
    { name: "classifiers", control: link("Classifiers"), shown: firstRow("Classifiers") },
    {
      name: "a classifier",
      control: page.getByRole("table", { name: "Classifiers" }).getByRole("link").first(),
      shown: tab("Routes"),
    },
    { name: "its quality", control: tab("Quality"), shown: page.getByRole("tabpanel", { name: "Quality" }) },
    { name: "models", control: link("Models"), shown: firstRow("Models") },
    { name: "benchmarks", control: link("Benchmarks"), shown: page.getByText("Sample run").first() },
    { name: "values", control: link("Values"), shown: page.getByRole("combobox", { name: "Model" }) },
    { name: "inbox", control: link("Inbox"), shown: tab("To review") },
    { name: "classifications", control: tab("Classifications"), shown: firstRow("Classifications") },
    { name: "extractions", control: tab("Extractions"), shown: firstRow("Extractions") },
    { name: "administration", control: link("Administration"), shown: page.getByRole("link", { name: "Audit" }) },
    { name: "audit", control: page.getByRole("link", { name: "Audit" }), shown: firstRow("Audit") },
  ];
}

/** Uploads a document with this many pages, and returns its extraction. */
async function addDocument({ rest, classifier }: SampleWorld, count: number): Promise<string> {
  const pdf = await createPdf((drawn) => {
    for (let page = 1; page <= count; page += 1) {
      if (page > 1) drawn.addPage();
      drawn
        .fontSize(11)
        .text(`Invoice INV-${count}\nSupplier invoice for goods delivered, page ${page}\nTotal due 12.50`);
      for (let line = 0; line < 40; line += 1) drawn.text(`${line} Consulting services, part ${page}.${line} 1 12.50`);
    }
  });
  const { extraction } = await getBody(rest.upload(`/api/v1/classify/${classifier}`, "long.pdf", pdf), 201);
  await finishedExtraction(rest, extraction.id);
  return extraction.id;
}

/** Measures the clicks on a fresh page, and turning a page of a document. Returns milliseconds by name. */
async function measureClicks(
  page: Page,
  origin: string,
  { projectId }: SampleWorld,
  extraction: string,
): Promise<Map<string, number>> {
  const took = new Map<string, number>();
  const click = async ({ name, control, shown }: Click): Promise<void> => {
    await control.waitFor();
    const begun = performance.now();
    await control.click();
    await shown.waitFor();
    took.set(name, performance.now() - begun);
  };
  const project = `${origin}/console/projects/${projectId}`;
  await page.goto(`${project}/try-it`);
  for (const each of getClicks(page)) await click(each);
  await page.goto(`${project}/inbox/extractions/${extraction}`);
  await page.getByRole("img", { name: "Page 1", exact: true }).waitFor();
  const next = page.getByRole("button", { name: "Page 2", exact: true });
  await click({ name: "next page", control: next, shown: page.getByRole("img", { name: "Page 2", exact: true }) });
  return took;
}

/**
 * Measures how long the console takes from a click to what it shows, in Chromium, in an organization with 1,000 classifiers, 100,000 records
 * and a document of 200 pages. The floor is the same clicks in an organization with almost nothing, in the same server and browser.
 */
export async function measure(): Promise<boolean> {
  const path = findProgram(chromium);
  if (path === undefined) {
    console.log("  skipped: no Chromium");
    return true;
  }
  const system = await startTestSystem("replicas");
  let browser: Browser | undefined;
  try {
    const large = await createSampleWorld(system.url, system.token);
    const small = await createSampleWorld(system.url, await system.anotherOrganization("Small"));
    const { organization } = await getBody(large.rest.get("/api/v1/me"), 200);
    const target = { modelId: large.invoices, projectId: large.projectId };
    const kind = { organizationId: organization.id, projectId: large.projectId, targets: [target] };
    await insertClassifiers(system.uri, [kind], classifiers);
    const lists = ["classifications", "extractions", "files", "current_values", "audit"];
    await createSkewedWorld(large, system.uri, records, lists);
    const worlds = [
      { world: small, extraction: await addDocument(small, 2) },
      { world: large, extraction: await addDocument(large, pages) },
    ];
    browser = await startChromium(path);
    const measured: Map<string, number[]>[] = [];
    for (const { world, extraction } of worlds) {
      const { page, complaints } = await openConsole(browser, system.url, world.secret);
      const durations = new Map<string, number[]>();
      for (let round = -1; round < rounds; round += 1) {
        const took = await measureClicks(page, system.url, world, extraction);
        if (round >= 0) for (const [name, ms] of took) durations.set(name, [...(durations.get(name) ?? []), ms]);
      }
      if (complaints.length > 0) throw new Error(`the console complained: ${complaints.join("; ")}`);
      measured.push(durations);
    }
    console.log(`  ${classifiers} classifiers, ${records} records, a document of ${pages} pages; aim ${aimMs} ms`);
    let isGood = true;
    for (const [name, durations] of measured[1] ?? []) {
      const floorMs = getMedian(measured[0]?.get(name) ?? []);
      const ms = getMedian(durations);
      isGood &&= ms <= maxRatio * floorMs + noiseMs;
      console.log(
        `  ${name}: ${ms.toFixed(0)} ms, ${(ms / floorMs).toFixed(2)} of ${floorMs.toFixed(0)} ms when almost empty`,
      );
    }
    return isGood;
  } finally {
    await browser?.close();
    await system.close();
  }
}
