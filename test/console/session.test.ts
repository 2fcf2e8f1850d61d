import { freePort } from "@switchyard/rpc";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { runProgram } from "../processes.ts";
import { chromium, describeWith } from "../programs.ts";
import { createRest } from "../rest.ts";
import { createContext, startChromium } from "../viewer/browsing.ts";
import { findKept, keepEverywhere } from "./kept.ts";
import { openConsole } from "./opening.ts";

describeWith(chromium, "a session of the console in Chromium", (path) => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-console-"));
    browser = await startChromium(path);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("outlives a restart of the server, reaches one project with its token, and ends with the token's rights", async () => {
    const port = String(await freePort());
    const place = { SWITCHYARD_DATA: folder, PORT: port, GRPC_PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "trace" };
    const run = (...argv: string[]) => runProgram("apps/standalone/bin/switchyard-server.js", argv, place);
    const bootstrap = run("bootstrap", "Acme");
    await bootstrap.ended();
    const administrator = /^swo_\w+$/m.exec(bootstrap.output())?.[0] ?? "";
    let server = run("start");
    try {
      await server.printed(/serves REST/);
      const url = `http://127.0.0.1:${port}`;
      const rest = createRest(url, administrator);
      const { body: own } = await rest.post("/api/v1/projects", { name: "Accounts payable" });
      await rest.post("/api/v1/projects", { name: "Legal secrets" });
      const permissions = ["documents:read", "models:read"];
      const { body: issued } = await rest.post("/api/v1/tokens", {
        name: "Reader",
        scope: "PROJECT",
        projectId: own.id,
        permissions,
      });
      // The journeys with a project token rely on this: what is of another project is a complaint.
      const everything = await openConsole(await createContext(browser), url, {
        token: administrator,
        foreign: ["Legal secrets"],
      });
      await expect.poll(() => everything.complaints.join()).toContain("shows Legal secrets");
      await everything.page.context().close();
      const watched = await openConsole(await createContext(browser), url, issued.secret);
      const { page } = watched;
      const heading = page.getByRole("heading", { level: 1, name: "Inbox" });
      await heading.waitFor();
      expect(await page.evaluate("document.activeElement.id")).toBe("content");

      // What the token may not do or see is not offered.
      await page.getByText("Nothing needs a review.").waitFor();
      expect(await page.getByRole("navigation").getByRole("link", { name: "Try it" }).count()).toBe(0);
      expect(await page.getByRole("navigation").getByRole("link", { name: "Classifiers" }).count()).toBe(1);
      await page.getByRole("combobox", { name: "Project" }).click();
      await page.getByRole("option", { name: "Accounts payable" }).waitFor();
      expect(await page.getByText("Legal secrets").count()).toBe(0);
      await page.keyboard.press("Escape");

      // The page says that the server is away, and recovers on its own.
      // The tab alone keeps the token, and neither the log at its most verbose nor any other storage of the browser has it.
      expect(await page.evaluate("JSON.stringify(sessionStorage)")).toContain(issued.secret);
      expect(await findKept(watched, issued.secret)).toEqual([]);
      await server.end();
      const logged = server.output();
      expect(logged).toContain("ReviewService.ListReview");
      for (const secret of [issued.secret, administrator]) expect(logged).not.toContain(secret);
      await page.getByText("The server cannot be reached").waitFor();
      server = run("start");
      await server.printed(/serves REST/);
      await page.getByText("Nothing needs a review.").waitFor();

      // A token that loses its validity under the open page leads to the sign-in.
      await rest.send(`/api/v1/tokens/${issued.id}`, { method: "DELETE" });
      await page.getByText("Your token is no longer accepted.").waitFor();
      expect(await page.evaluate("JSON.stringify([sessionStorage, localStorage])")).not.toContain(issued.secret);
      expect(await heading.count()).toBe(0);
      expect(await findKept(watched, issued.secret)).toEqual([]);
      expect(server.output()).not.toContain(issued.secret);
      await keepEverywhere(watched, "word-to-find");
      const everywhere = ["history", "state", "cookies", "localStorage", "indexedDB", "caches"];
      expect(await findKept(watched, "word-to-find")).toEqual(everywhere);
    } finally {
      await server.end("SIGKILL");
    }
  });
});
