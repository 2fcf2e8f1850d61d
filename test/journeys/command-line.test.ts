import { freePort } from "@switchyard/rpc";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBundle } from "../cli/bundle.ts";
import type { Bundle } from "../cli/bundle.ts";
import { root } from "../processes.ts";

describe("docs/journey.md", () => {
  let folder: string;
  let bundle: Bundle;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-journey-"));
    bundle = await buildBundle();
  }, 60_000);
  afterAll(async () => {
    await bundle?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it("leads from a fresh server to a finished benchmark run, with the command line alone", async () => {
    const page = await readFile(join(root, "docs/journey.md"), "utf8");
    const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block ?? "");
    expect(blocks).toHaveLength(7);
    // What the page's reader types, in a shell that stops at the first error and takes the server along when it ends.
    const script = ["set -euo pipefail", "trap 'kill $(jobs -p) 2> killed; wait' EXIT", ...blocks].join("\n");
    const programs = join(folder, "programs");
    await mkdir(programs);
    await symlink(process.execPath, join(programs, "node"));
    const shims = {
      switchyard: bundle.file,
      "switchyard-server": join(root, "apps/standalone/bin/switchyard-server.js"),
    };
    for (const [name, file] of Object.entries(shims))
      await writeFile(join(programs, name), `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`, { mode: 0o755 });
    const place = join(folder, "place");
    await mkdir(place);
    await cp(join(root, "samples"), join(place, "samples"), {
      recursive: true,
      filter: (path) => !/\.(ts|md)$/.test(path),
    });
    const port = String(await freePort());
    const env = {
      PATH: `${programs}:${process.env["PATH"] ?? ""}`,
      HOME: place,
      SWITCHYARD_DATA: join(place, ".switchyard"),
      SWITCHYARD_BASE_URL: `http://127.0.0.1:${port}`,
      PORT: port,
      GRPC_PORT: "0",
      ...(process.env["MONGOD_BINARY"] === undefined ? {} : { MONGOD_BINARY: process.env["MONGOD_BINARY"] }),
    };
    const output = await new Promise<string>((resolve, reject) => {
      const options = { cwd: place, env, timeout: 150_000 };
      execFile("bash", ["-c", script], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
      });
    });
    expect(output).toContain("organization\tAcme");
    expect(output).toMatch(/\tInbox\tPROJECT\t2\tAccounts payable\t0\n/);
    expect(output).toMatch(/^samples\/invoice-harbour-lane\.pdf\tCLASSIFIED\tInvoice\t/m);
    expect(output).toMatch(/^samples\/receipt-coffee\.pdf\tCLASSIFIED\tReceipt\t/m);
    expect(output).toMatch(/^samples\/lake-swim\.pdf\tUNCLASSIFIED\t/m);
    expect(output).toMatch(/^invoice\t1\tinvoice_number\tHL-2026-0417\t/m);
    expect(output).toMatch(/^status\tCOMPLETED$/m);
    expect(output).toMatch(/^files\t3 of 3, 0 failed$/m);
    expect(output).toMatch(/^invoice\tinvoice_number\t\d+\.\d %\t/m);
    expect(output).toMatch(/\tFirst run\t-\tCOMPLETED\t3\tmdl_\w+\tInvoices\t/);
  }, 180_000);
});
