import { insertClassifiers } from "@switchyard/classifier/testing";
import { createPdf } from "@switchyard/extraction/testing/pdf";
import type { Browser, Page } from "playwright-core";
import { finishedExtraction } from "../journeys/fixture.ts";
import { chromium, findProgram } from "../programs.ts";
import { finishedExecution } from "../specification/testing/benchmarks.ts";
import { getBody } from "../specification/testing/office.ts";
import { createSampleWorld } from "../specification/testing/sample-world.ts";
import type { SampleWorld } from "../specification/testing/sample-world.ts";
import { createSkewedWorld } from "../specification/testing/skewed-lists.ts";
import { startTestSystem } from "../system.ts";
import { startChromium } from "../viewer/browsing.ts";
import { openMeasuredPage } from "./testing/clicks.ts";
import type { ClickTimes, MeasuredPage } from "./testing/clicks.ts";
import { measureRound } from "./testing/console-clicks.ts";
import { getMedian } from "./testing/measuring.ts";

/** The number of records, extractions, files, values and audit entries of the large organization. */
const records = Number(process.env["SWITCHYARD_BENCH_RECORDS"] ?? 100_000);
const classifiers = 1_000;
const pages = 200;
const rounds = Number(process.env["SWITCHYARD_BENCH_ROUNDS"] ?? 7);
/** The aim for every click on an idle machine, which is printed beside the figures. */
const aimMs = 200;
/** The maximum ratio of a click in the large organization to the same click in one that is almost empty, beyond a tolerance in milliseconds. */
const maxRatio = 4;
const noiseMs = 100;

/**
 * Uploads a document with this many pages, accepts its values, and measures the model with it. Returns its extraction. What remains to be
 * reviewed is a text.
 */
async function addDocument({ rest, ...office }: SampleWorld, count: number): Promise<string> {
  const pdf = await createPdf((drawn) => {
    for (let page = 1; page <= count; page += 1) {
      if (page > 1) drawn.addPage();
      drawn
        .fontSize(11)
        .text(`Invoice INV-${count}\nSupplier invoice for goods delivered, page ${page}\nTotal due 12.50`);
      for (let line = 0; line < 40; line += 1) drawn.text(`${line} Consulting services, part ${page}.${line} 1 12.50`);
    }
  });
  const { extraction, ...record } = await getBody(
    rest.upload(`/api/v1/classify/${office.classifier}`, "long.pdf", pdf),
    201,
  );
  await finishedExtraction(rest, extraction.id);
  await getBody(rest.post(`/api/v1/extractions/${extraction.id}:accept`), 200);
  await getBody(rest.post(`/api/v1/classify/${office.classifier}`, { text: "Zwei Boxkämpfer jagen Eva" }), 201);
  const run = { deploymentId: office.invoices, name: "Long document", fileIds: [record.fileId] };
  const { executionId } = await getBody(rest.post(`/api/v1/projects/${office.projectId}/benchmarks`, run), 201);
  await finishedExecution(rest, executionId);
  return extraction.id;
}

/** An organization in which clicks are measured. */
interface Measured extends MeasuredPage {
  readonly world: SampleWorld;
  readonly extractionId: string;
  readonly durations: Map<string, ClickTimes[]>;
}

async function signIn(page: Page, origin: string, token: string): Promise<void> {
  await page.goto(`${origin}/console`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
}

/** Prints a line for each click: in the large organization, and in the small one. */
function report(large: Measured, small: Measured): boolean {
  console.log(
    `  ${classifiers} classifiers, ${records} records, a document of ${pages} pages; aim ${aimMs} ms; median of ${rounds}`,
  );
  console.log("  ms until it is shown (when almost empty) · until the next paint (when almost empty)");
  let isGood = true;
  for (const [name, durations] of large.durations) {
    const median = ({ durations: of }: Measured, figure: keyof ClickTimes): number =>
      getMedian((of.get(name) ?? []).map((times) => times[figure]));
    const [shownMs, floorMs] = [median(large, "shownMs"), median(small, "shownMs")];
    isGood &&= durations.length === rounds && shownMs <= maxRatio * floorMs + noiseMs;
    const paint = [median(large, "nextPaintMs"), median(small, "nextPaintMs")].map((ms) => ms.toFixed(0));
    console.log(`  ${name}: ${shownMs.toFixed(0)} (${floorMs.toFixed(0)}) · ${paint[0]} (${paint[1]})`);
  }
  return isGood;
}

/**
 * Measures how long the console takes from a click to what it shows, in Chromium, in an organization with 1,000 classifiers, 100,000 records
 * and a document of 200 pages. The floor is the same clicks in an organization with almost nothing, in turn with the others, in the same
 * server and browser.
 */
export async function measure(): Promise<boolean> {
  const path = findProgram(chromium);
  if (path === undefined) {
    console.log("  skipped: no Chromium");
    return true;
  }
  const system = await startTestSystem("replicas", { ownThread: true });
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
    browser = await startChromium(path);
    const measured: Measured[] = [];
    for (const [world, count] of [
      [large, pages],
      [small, 2],
    ] as const) {
      const extractionId = await addDocument(world, count);
      const opened = await openMeasuredPage(browser);
      await signIn(opened.page, system.url, world.secret);
      measured.push({ ...opened, world, extractionId, durations: new Map() });
    }
    // The first round warms up the server and the browser.
    for (let round = -1; round < rounds; round += 1)
      for (const { page, world, extractionId, durations } of measured) {
        const project = { origin: system.url, projectId: world.projectId, extractionId };
        for (const [name, times] of await measureRound(page, project))
          if (round >= 0) durations.set(name, [...(durations.get(name) ?? []), times]);
      }
    const complaints = measured.flatMap((each) => each.complaints);
    if (complaints.length > 0) throw new Error(`the console complained: ${complaints.join("; ")}`);
    const [ofLarge, ofSmall] = measured as [Measured, Measured];
    return report(ofLarge, ofSmall);
  } finally {
    await browser?.close();
    await system.close();
  }
}
