/**
 * `npm run pictures`: starts the demo, and writes a picture of each page of the console to docs/console/, which docs/console.md shows. Needs
 * Chromium, as the tests of the console do.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root, runProgram } from "../processes.ts";
import { chromium, findProgram } from "../programs.ts";
import { startChromium } from "../viewer/browsing.ts";

/** A picture: its file, and how the page is reached from the one before. */
interface Picture {
  readonly file: string;
  readonly open: (page: Page) => Promise<void>;
}

const pictures: readonly Picture[] = [
  {
    file: "inbox",
    open: async (page) => {
      await page.getByRole("navigation").getByRole("link", { name: "Inbox" }).click();
      await page.getByRole("table", { name: "To review" }).getByRole("link").first().waitFor();
    },
  },
  {
    file: "classifications",
    open: async (page) => {
      await page.getByRole("tab", { name: "Classifications" }).click();
      await page.getByRole("table", { name: "Classifications" }).getByRole("link").first().waitFor();
    },
  },
  {
    file: "review",
    open: async (page) => {
      await page.getByRole("link", { name: "invoice-harbour-lane.pdf" }).first().click();
      await page.getByRole("img", { name: "Page 1" }).waitFor();
    },
  },
  {
    file: "correction",
    open: async (page) => {
      await page.getByRole("link", { name: "Correct the extracted values" }).click();
      await page.getByRole("img", { name: "Page 1" }).waitFor();
      await page.getByRole("textbox").first().focus();
    },
  },
  {
    file: "try-it",
    open: async (page) => {
      await page.getByRole("navigation").getByRole("link", { name: "Try it" }).click();
      await page.locator('input[type="file"]').setInputFiles([join(root, "samples/invoice-brightwater.pdf")]);
      await page.getByRole("table", { name: "Extracted values" }).waitFor();
    },
  },
  {
    file: "classifier",
    open: async (page) => {
      await page.getByRole("navigation").getByRole("link", { name: "Classifiers" }).click();
      await page.getByRole("link", { name: "Mailroom" }).click();
      await page.getByRole("table", { name: "Routes" }).waitFor();
    },
  },
  {
    file: "values",
    open: async (page) => {
      await page.getByRole("navigation").getByRole("link", { name: "Values" }).click();
      await page.getByRole("table", { name: "Values" }).getByRole("link").first().waitFor();
    },
  },
  {
    file: "benchmark",
    open: async (page) => {
      await page.getByRole("navigation").getByRole("link", { name: "Benchmarks" }).click();
      await page.getByRole("table", { name: "Runs" }).getByRole("link").first().click();
      await page.getByRole("table", { name: "Accuracy by column" }).waitFor();
    },
  },
  {
    file: "tokens",
    open: async (page) => {
      await page.getByRole("navigation").getByRole("link", { name: "Administration" }).click();
      await page.getByRole("link", { name: "Tokens" }).click();
      await page.getByRole("table", { name: "Tokens" }).waitFor();
    },
  },
  {
    file: "audit",
    open: async (page) => {
      await page.getByRole("link", { name: "Audit trail" }).click();
      await page.getByRole("table", { name: "Audit trail" }).waitFor();
    },
  },
];

const path = findProgram(chromium);
if (path === undefined) throw new Error(`neither ${chromium.variable} nor a ${chromium.name} on the PATH`);
const folder = join(root, "docs/console");
await mkdir(folder, { recursive: true });
const data = await mkdtemp(join(tmpdir(), "switchyard-pictures-"));
const environment = { SWITCHYARD_DATA: data, PORT: "0", GRPC_PORT: "0", HOST: "127.0.0.1" };
const server = runProgram("apps/standalone/bin/switchyard-server.js", ["start", "--demo"], environment);
const browser = await startChromium(path);
try {
  const [link = ""] = /http\S+#sign-in=\S+/.exec(await server.printed(/#sign-in=\S+\n/)) ?? [];
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(link);
  for (const { file, open } of pictures) {
    await open(page);
    // The inbox follows a stream, so the network is never idle.
    await page.getByLabel("Loading").first().waitFor({ state: "detached" });
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(folder, `${file}.png`) });
    console.log(`docs/console/${file}.png`);
  }
} finally {
  await browser.close();
  await server.end();
  await rm(data, { recursive: true, force: true });
}
