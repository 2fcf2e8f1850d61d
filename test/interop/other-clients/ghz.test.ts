import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeWith } from "../../programs.ts";
import { givenOffice } from "../../specification/testing/office.ts";
import { run } from "./run.ts";

/** What the tests read of the JSON report of ghz. */
interface Report {
  readonly count: number;
  readonly statusCodeDistribution: Readonly<Record<string, number>>;
  readonly errorDistribution: Readonly<Record<string, number>>;
}

describeWith({ variable: "GHZ_BINARY", name: "ghz" }, "ghz", (path) => {
  const given = givenOffice();

  /** Loads a method, which ghz knows by reflection, and returns the report. */
  async function load(method: string, token: string, flags: readonly string[], data: object = {}): Promise<Report> {
    const folder = await mkdtemp(join(tmpdir(), "switchyard-ghz-"));
    const metadata = token === "" ? {} : { authorization: `Bearer ${token}` };
    try {
      await writeFile(join(folder, "data.json"), JSON.stringify(data));
      const call = ["--insecure", "--call", method, "--metadata", JSON.stringify(metadata)];
      const files = ["--data-file", join(folder, "data.json"), "--format", "json"];
      const target = `127.0.0.1:${given.system.grpcPort}`;
      const { stdout, stderr } = await run(path, [...call, ...files, ...flags, target]);
      if (!stdout.startsWith("{")) throw new Error(`ghz printed no report: ${stdout}${stderr}`);
      return JSON.parse(stdout) as Report;
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  const getMe = "switchyard.identity.v1.IdentityService.GetMe";

  it.each([
    ["one connection", ["--concurrency", "50", "--connections", "1"]],
    ["ten connections", ["--concurrency", "50", "--connections", "10"]],
  ])("gets a response for each of 2,000 requests over %s", async (_title, flags) => {
    const report = await load(getMe, given.system.token, ["--total", "2000", ...flags]);
    expect(report.statusCodeDistribution).toEqual({ OK: 2000 });
    expect([report.count, report.errorDistribution ?? {}]).toEqual([2000, {}]);
  });

  it("gets only successful responses in three seconds of classifications", async () => {
    const data = { classifierId: given.office.classifier, text: "Invoice INV-1, total due 10.00", extract: false };
    const flags = ["--duration", "3s", "--duration-stop", "wait", "--concurrency", "8"];
    const method = "switchyard.classifier.v1.ClassifierService.Classify";
    const report = await load(method, given.system.token, flags, data);
    expect(report.count).toBeGreaterThan(0);
    expect(report.statusCodeDistribution).toEqual({ OK: report.count });
  });

  it("gets the same error for each of 500 requests without a token", async () => {
    const report = await load(getMe, "", ["--total", "500", "--concurrency", "20"]);
    expect(report.statusCodeDistribution).toEqual({ Unauthenticated: 500 });
  });
});
