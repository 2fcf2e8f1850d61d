import { chromium, describeWith } from "../programs.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { invoiceText } from "../specification/testing/sample-world.ts";
import { givenContext, openConsole } from "./opening.ts";

describeWith(chromium, "the page of the console on which documents are tried", (path) => {
  const given = givenOffice();
  const browser = givenContext(path);

  it("asks before it is left while documents are being sent, and not when all have their results", async () => {
    const address = `/projects/${given.office.projectId}/try-it`;
    const { page, complaints } = await openConsole(browser.context, given.system.url, given.system.token, address);
    const questions: string[] = [];
    page.on("dialog", async (dialog) => {
      questions.push(dialog.message());
      await dialog.dismiss();
    });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/api\/v1\/classify\/[^/]+$/, async (route) => {
      if (route.request().method() === "POST") await released;
      await route.continue();
    });
    const file = { name: "tried.txt", mimeType: "text/plain", buffer: Buffer.from(invoiceText) };
    await page.locator('input[type="file"]').setInputFiles(file);
    const article = page.getByRole("article", { name: "tried.txt" });
    await article.getByLabel("Sending").waitFor();

    const inbox = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Inbox" });
    await inbox.click();
    await expect.poll(() => questions, { timeout: 60_000 }).toHaveLength(1);
    expect(questions[0]).toContain("Documents are still being sent");
    expect(page.url()).toContain(address);
    release();
    await article.getByRole("link", { name: "Review this decision" }).waitFor();
    await inbox.click();
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    expect(questions).toHaveLength(1);
    expect(complaints).toEqual([]);
  });
});
