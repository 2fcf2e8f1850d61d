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

/** The rules of axe that are checked: WCAG 2.2 AA, and what is recommended besides. */
const standard = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Returns the violations of WCAG 2.2 AA on a page as lines: the rule, and the elements. */
export async function findViolations(page: Page): Promise<string[]> {
  return analyze(new AxeBuilder({ page }).withTags(standard));
}

/** Returns the violations in the open dialog, once it is there. The page under it was looked at before. */
export async function findDialogViolations(page: Page): Promise<string[]> {
  await page.getByRole("dialog").getByRole("button").last().waitFor();
  return analyze(new AxeBuilder({ page }).withTags(standard).include('[role="dialog"]'));
}

/** Returns the violations of a page in light and in dark colors. Only contrast depends on the colors. */
export async function findViolationsInBothSchemes(page: Page): Promise<string[]> {
  await useColorScheme(page, "dark");
  const inDark = await analyze(new AxeBuilder({ page }).withRules(["color-contrast", "link-in-text-block"]));
  await useColorScheme(page, "light");
  return [...inDark.map((violation) => `dark: ${violation}`), ...(await findViolations(page))];
}

async function useColorScheme(page: Page, colorScheme: "dark" | "light"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}

// axe itself is a script from elsewhere, so it runs in a page of its own origin with the policy in force.
async function analyze(axe: AxeBuilder): Promise<string[]> {
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}
