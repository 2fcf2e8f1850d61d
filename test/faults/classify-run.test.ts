import { freePort } from "@switchyard/rpc";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../processes.ts";
import { createRest } from "../rest.ts";
import { startDemoServer } from "./demo-server.ts";
import type { DemoServer } from "./demo-server.ts";

// SIGKILL is like a power failure. Full counts also end the server in order.
const counts =
  process.env["SWITCHYARD_TEST_COUNTS"] === "long"
    ? { documents: 200, signals: ["SIGKILL", "SIGTERM"] as const }
    : { documents: 40, signals: ["SIGKILL"] as const };
const { documents } = counts;

describe("classify run, when its server ends in the middle", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-run-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Starts the server on the folder's data. */
  const start = (port: number): Promise<DemoServer> => startDemoServer(join(folder, "data"), { PORT: String(port) });

  it.each(counts.signals)(
    `reports the failure, and when repeated classifies each of ${documents} documents once (%s)`,
    async (signal) => {
      const inbox = join(folder, "inbox");
      await mkdir(inbox);
      for (let number = 100; number < 100 + documents; number += 1) {
        const text = `Invoice number INV-${number}, invoice date 2026-10-01, due date 2026-10-31, total due ${number}.00`;
        await writeFile(join(inbox, `invoice-${number}.txt`), text);
      }
      const port = await freePort();
      const first = await start(port);
      const { token, classifier } = first;
      const rest = createRest(`http://127.0.0.1:${port}`, token);
      const count = async (): Promise<number> =>
        (await rest.get(`/api/v1/classify/${classifier}`)).body.classificationCount;
      const before = await count();
      const environment = {
        SWITCHYARD_BASE_URL: `http://127.0.0.1:${port}`,
        SWITCHYARD_TOKEN: token,
        XDG_STATE_HOME: join(folder, "state"),
      };
      const run = () => runProgram("apps/cli/bin/switchyard.js", ["classify", "run", classifier, inbox], environment);

      const broken = run();
      // As soon as a few are done, because documents must be left when the signal arrives on a busy machine.
      const enough = 4;
      await broken.printed(new RegExp(`(\\tCLASSIFIED\\t[^]*){${enough}}`));
      await first.program.end(signal);
      expect(await broken.ended()).toBe(7);
      const [, done = "", failed = "", left = ""] =
        /: (\d+) classified, 0 unclassified, (\d+) failed, (\d+) not sent/.exec(broken.output()) ?? [];
      expect(Number(done)).toBeGreaterThanOrEqual(enough);
      expect(Number(done) + Number(failed) + Number(left)).toBe(documents);
      expect(Number(left)).toBeGreaterThan(0);

      const second = await start(port);
      try {
        const again = run();
        expect(await again.ended()).toBe(0);
        expect(again.output()).toContain(
          `${documents} documents: ${documents} classified, 0 unclassified. ${done} of them had already been classified`,
        );
        expect(await count()).toBe(before + documents);
        const names: string[] = [];
        for (let page = ""; ;) {
          const { body } = await rest.get(`/api/v1/classify/${classifier}/classifications?limit=500${page}`);
          names.push(...body.data.map(({ filename }: { filename: string }) => filename));
          if (body.nextPageToken === null) break;
          page = `&pageToken=${body.nextPageToken}`;
        }
        const ours = names.filter((name) => /^invoice-\d+\.txt$/.test(name));
        expect([ours.length, new Set(ours).size]).toEqual([documents, documents]);
      } finally {
        await second.program.end();
      }
    },
  );
});
