import type { Browser } from "playwright-core";
import { createRest } from "../rest.ts";
import { createContext, openPage } from "../viewer/browsing.ts";
import { findKept } from "./kept.ts";
import { findViolations } from "./opening.ts";

/** A sample whose values are corrected, and the route that it takes. */
export interface CorrectedSample {
  readonly path: string;
  readonly filename: string;
}

/**
 * The way of someone who has just started the server: signs in by the link that it printed, tries a document, corrects a value and accepts
 * the values, the last two by keyboard alone. Returns the token of the session.
 */
export async function correctFirstDocument(browser: Browser, link: string, sample: CorrectedSample): Promise<string> {
  const { origin, pathname, hash } = new URL(link);
  const watched = await openPage(await createContext(browser), origin, `${pathname}${hash}`);
  const { page, complaints } = watched;
  await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
  await page.getByRole("table", { name: "To review" }).waitFor();
  const code = hash.slice("#sign-in=".length);
  const token = await page.evaluate<string>("Object.values(sessionStorage).join()");
  expect(token).toMatch(/^swo_\w+$/);

  await page.getByRole("navigation").getByRole("link", { name: "Try it" }).click();
  await page.locator('input[type="file"]').setInputFiles(sample.path);
  const article = page.getByRole("article", { name: sample.filename });
  await article.getByRole("table", { name: "Extracted values" }).waitFor();
  await article.getByRole("link", { name: "Correct the extracted values" }).click();

  // A field selects its place on the page, and says what it expects.
  const total = page.getByLabel("Total amount");
  await total.waitFor();
  await page.getByRole("img", { name: "Page 1" }).waitFor();
  await page.getByText(/^Engine: local, version /).waitFor();
  await total.focus();
  await page.locator('[data-selected="true"][title^="Total amount: "]').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("12,5");
  await page.getByText("A number, such as 1234.50").waitFor();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("12.5");
  await page.getByRole("button", { name: "Accept with 1 correction" }).waitFor();
  const reviewed = page.url();
  await page.keyboard.press("Control+Enter");
  await page.waitForURL((next) => next.href !== reviewed);

  const rest = createRest(origin, token);
  const { fileId, deploymentId } = (await rest.get(`/api/v1/extractions/${reviewed.split("/").at(-1)}`)).body;
  const accepted = await rest.get(`/api/v1/files/${fileId}/accepted-values?deploymentId=${deploymentId}`);
  const [primary] = accepted.body.tables;
  expect(primary.rows[0].values.total).toBe(12.5);
  expect(complaints).toEqual([]);
  // The code has left the address and the history. No request had it or the token there, and the browser keeps neither.
  for (const secret of [code, token]) expect(await findKept(watched, secret)).toEqual([]);

  // The link works once.
  const second = await openPage(await createContext(browser), origin, `${pathname}${hash}`);
  await second.page.getByLabel("Token").waitFor();
  await second.page.getByText("This sign-in link was used before").waitFor();
  await Promise.all([page, second.page].map((each) => each.context().close()));
  return token;
}
