import { freePort } from "@switchyard/rpc";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getBlocks, runShell } from "../pages.ts";
import { root } from "../processes.ts";

describe("docs/journey.md", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "switchyard-journey-"));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it("takes a fresh server to a finished benchmark run with the command line alone, and cleans up", async () => {
    const blocks = getBlocks(await readFile(join(root, "docs/journey.md"), "utf8"));
    expect(blocks.map(({ language }) => language)).toEqual(Array(blocks.length).fill("sh"));
    const port = String(await freePort());
    // The commands of the page, in a shell that stops at the first error and then ends the server.
    const script = [
      "set -euo pipefail",
      "trap 'kill ${server:-} 2>/dev/null || true' EXIT",
      ...blocks.map(({ text }) => text),
      'echo "still set: ${SWITCHYARD_DATA-}${SWITCHYARD_PROFILE-}"',
    ];
    const output = await runShell(script.join("\n"), {
      HOME: home,
      TMPDIR: home,
      SWITCHYARD_BASE_URL: `http://127.0.0.1:${port}`,
      PORT: port,
      // Recognizing the scan among the samples takes seconds.
      SWITCHYARD_OCR: "off",
      GRPC_PORT: "0",
    });
    expect(output).toContain("organization\tAcme");
    expect(output).toMatch(/\tInbox\tPROJECT\t2\tAccounts payable\t0\n/);
    expect(output).toMatch(/^samples\/invoice-harbour-lane\.pdf\tCLASSIFIED\tInvoice\t/m);
    expect(output).toMatch(/^samples\/receipt-coffee\.pdf\tCLASSIFIED\tReceipt\t/m);
    expect(output).toMatch(/^samples\/lake-swim\.pdf\tUNCLASSIFIED\t/m);
    expect(output).not.toContain("not accepted");
    expect(output).toMatch(/^status\tCOMPLETED$/m);
    expect(output).toMatch(/^files\t2 of 2, 0 failed$/m);
    expect(output).toMatch(/^typing saved\t\d\.\d minutes for 6 values$/m);
    expect(output).toMatch(/^invoice\tinvoice_number\t\d+\.\d %\t/m);
    expect(output).toMatch(/\tFirst run\t-\tCOMPLETED\t2\tmdl_\w+\tInvoices\t/);
    expect(output).toMatch(/^files compared\t2 \(few\)$/m);
    expect(output).toMatch(/^changed columns\tinvoice\.total \(synonyms\)$/m);
    expect(output).toMatch(/^successRate\t.*\tINCONCLUSIVE\t\d+$/m);
    expect(output).toMatch(/^compare\.newlyFailingCount\t<= 0\t0\tpassed$/m);
    // Promoted and rolled back.
    const served = [...output.matchAll(/^dep_\w+\tProduction\t.*$/gm)].map(([line]) => /sch_\w+/.exec(line)?.[0]);
    expect(served.length).toBe(2);
    expect(served[0]).not.toBe(served[1]);
    expect(output).toMatch(/^still set: $/m);
    expect((await readdir(home)).filter((name) => name.startsWith("tmp."))).toEqual([]);
    expect(await readFile(join(home, ".config/switchyard/profiles.json"), "utf8")).not.toContain("swo_");
  });
});
