import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root, runProgram } from "../processes.ts";
import type { RunningProgram } from "../processes.ts";
import { correctFirstDocument } from "../console/first-document.ts";
import { chromium, findProgram } from "../programs.ts";
import { createRest } from "../rest.ts";
import { startChromium } from "../viewer/browsing.ts";

/** The route that a person would choose for each sample; null if there is none. */
const expected: Record<string, string> = {
  "invoice-brightwater.pdf": "Invoice",
  "invoice-harbour-lane.pdf": "Invoice",
  "invoice-scan.pdf": "Invoice",
  "lake-swim.pdf": "UNCLASSIFIED",
  "mail-with-invoice.eml": "Invoice",
  "non-disclosure-agreement.pdf": "Non-disclosure agreement",
  "receipt-coffee.pdf": "Receipt",
  "receipt-parking.jpg": "Receipt",
};

describe("npm start", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-start-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  function start(): RunningProgram {
    // An empty variable is absent. The demo stays within the default rate limit.
    const defaults = { SWITCHYARD_RATE_LIMIT: "" };
    const place = { SWITCHYARD_DATA: folder, PORT: "0", GRPC_PORT: "0", HOST: "127.0.0.1" };
    const environment = { ...place, ...defaults, LOG_LEVEL: "trace" };
    return runProgram("apps/standalone/bin/switchyard-server.js", ["start", "--demo"], environment);
  }

  it("routes every sample as a person would, then prints a request that works", async () => {
    const server = start();
    try {
      // A time limit for each step, because recognizing the two pictures takes long on a busy machine.
      for (const step of [/serves REST/, / 4\/8 /, / 8\/8 /, / 2\/2 files/]) await server.printed(step);
      const output = await server.printed(/curl .*\n/);
      expect(output).toMatch(/^invoice-scan\.pdf .* FT-20881 · 2026-11-03 · /m);
      expect(output).toMatch(/^receipt-parking\.jpg .* STATION CAR PARK · 2026-1/m);
      for (const [document, route] of Object.entries(expected)) {
        expect(output).toMatch(new RegExp(`^${document} +${route} `, "m"));
      }
      expect(output).toMatch(
        /^Running a benchmark of two versions of the model Invoices over two accepted samples:\n[^]*^ +2\/2 files\n/m,
      );
      expect(output).toMatch(/^invoice\.total +\d+ % +\d+ % +\d+ % +2 /m);
      expect(output).toMatch(/^successRate +\d+\.\d % +\d+\.\d % +-?\d+\.\d % +INCONCLUSIVE +\d+ *$/m);
      expect(output).toMatch(/^before the review +NO_MATCH +0\.\d\d +0 *$/m);
      expect(output).toMatch(/^after it +Receipt +(?:1\.00|0\.9\d) +1 *$/m);
      const [, token = "", sample = "", url = ""] =
        /curl -H "Authorization: Bearer (\S+)" -F file=@(\S+) (\S+)/.exec(output) ?? [];
      const bytes = new Uint8Array(await readFile(join(root, sample)));
      const response = await createRest(new URL(url).origin, token).upload(new URL(url).pathname, "invoice.pdf", bytes);
      expect(response).toMatchObject({
        status: 201,
        body: { status: "CLASSIFIED", deploymentName: "Invoices, stable" },
      });
      expect(response.body.scores).toHaveLength(3);
      expect((await stat(join(folder, "secret"))).mode & 0o777).toBe(0o600);

      // The link to the console signs in with a token of its own, and leads to a corrected document.
      const link = /http\S+#sign-in=\S+/.exec(await server.printed(/#sign-in=\S+\n/))?.[0] ?? "";
      const program = findProgram(chromium);
      if (program === undefined) console.log("first start to a corrected document: skipped without a Chromium");
      else {
        const browser = await startChromium(program);
        try {
          const corrected = { path: join(root, sample), filename: basename(sample) };
          const session = await correctFirstDocument(browser, link, corrected);
          expect(server.output()).not.toContain(session);
          const me = await createRest(new URL(link).origin, session).get("/api/v1/me");
          expect(me.body).toMatchObject({ organization: { name: "Demo" }, token: { name: "Console" } });
          expect(Date.parse(me.body.token.expiresAt) - Date.parse(me.body.token.createdAt)).toBe(12 * 60 * 60 * 1_000);
        } finally {
          await browser.close();
        }
      }

      // A second server on the same data ends with an error, and the first continues.
      const second = start();
      await second.printed(/in use|locked|another/i);
      expect(await second.ended()).toBe(1);

      await server.end();
      const again = start();
      const later = await again.printed(/curl .*\n/);
      expect(later).toContain(token.slice(0, 8));
      expect(later).not.toContain(token);
      expect(later).toMatch(/npx switchyard-server token org_\w+\n/);
      await again.printed(/#sign-in=\S+\n/);
      const laterUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(later)?.[0] ?? "";
      const count = Object.keys(expected).length + (findProgram(chromium) === undefined ? 1 : 2);
      expect((await createRest(laterUrl, token).get(new URL(url).pathname)).body.classificationCount).toBe(count);
      await again.end();
    } finally {
      await server.end("SIGKILL");
    }
  }, 400_000);

  it("names every variable with an invalid value", async () => {
    const server = runProgram("apps/standalone/bin/switchyard-server.js", ["start"], {
      PORT: "many",
      LOG_LEVEL: "loud",
    });
    expect(await server.ended()).toBe(1);
    expect(server.output()).toMatch(/LOG_LEVEL/);
    expect(server.output()).toMatch(/PORT/);
  });
});
