import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { openPage } from "../viewer/browsing.ts";
import type { WatchedPage } from "../viewer/browsing.ts";

/** Opens the console at an address under /console, signed in with a token. */
export async function openConsole(browser: Browser, url: string, token: string, path = ""): Promise<WatchedPage> {
  const watched = await openPage(browser, url, `/console${path}`);
  await watched.page.getByLabel("Token").fill(token);
  await watched.page.getByRole("button", { name: "Sign in" }).click();
  await watched.page.getByRole("navigation", { name: "Pages" }).waitFor();
  return watched;
}

/** Returns the violations of WCAG 2.2 AA on a page as lines: the rule, and the elements. */
export async function findViolations(page: Page): Promise<string[]> {
  // axe itself is a script from elsewhere, so it runs in a page of its own origin with the policy in force.
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

/** Returns the violations of a page in light and in dark colors. */
export async function findViolationsInBothSchemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    found.push(...(await findViolations(page)).map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
