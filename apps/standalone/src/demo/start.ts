import { bootstrapOrganization, issueAdministratorToken, organizationExists } from "@switchyard/configuration";
import type { SignInLinks } from "@switchyard/gateway";
import { renderView } from "@switchyard/terminal";
import type { Table } from "@switchyard/terminal";
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { System } from "../system.ts";
import { createApi } from "./api.ts";
import { benchmarkSamples } from "./benchmark.ts";
import { toLocalUrl } from "./local-url.ts";
import { reviewSample } from "./review.ts";
import { classifySamples, sampleFolder } from "./samples.ts";
import { seedDemo } from "./seed.ts";

/** The record of the demo for later starts. It does not contain the secret of the token, which is shown only once. */
interface DemoRecord {
  organizationId: string;
  tokenPrefix: string;
  mailroomId: string;
}

/** The folder of the demo's record, the key of token digests, the links to the console if that is served, and the output. */
export interface DemoOptions {
  dataFolder: string;
  tokenPepper: Uint8Array;
  signIn: SignInLinks | undefined;
  output: NodeJS.WriteStream;
}

/**
 * Creates the demo organization at the first start, sends the sample documents through the REST API, and prints the results. At every
 * start, prints the next steps. An interrupted first start is repeated with a new organization.
 */
export async function startDemo(system: System, options: DemoOptions): Promise<void> {
  const { dataFolder, tokenPepper, output } = options;
  const file = join(dataFolder, "demo.json");
  const known = await readRecord(file);
  const baseUrl = toLocalUrl(system.gateway.url);
  if (known !== undefined && (await organizationExists(system.configurationStorage, known.organizationId))) {
    output.write(
      `The demo organization already exists. Its token begins with ${known.tokenPrefix} and was shown only once, at the first start.\n` +
        `To get a new one (with the embedded store, stop this server first): npx switchyard-server token ${known.organizationId}\n`,
    );
    output.write(example(baseUrl, "$SWITCHYARD_TOKEN", known.mailroomId));
    output.write(consoleLink(system, known.organizationId, options));
    return;
  }
  const bootstrapped = await bootstrapOrganization(
    { storage: system.configurationStorage, tokenPepper },
    { organizationName: "Demo", userName: "Demo user", tokenName: "First token" },
  );
  const api = createApi(baseUrl, bootstrapped.secret);
  output.write("First start: creating a demo organization.\n");
  const demo = await seedDemo(api);
  const { mailroomId } = demo;
  const table = await classifySamples(api, mailroomId, (done, total, name) => {
    output.write(`  ${done}/${total} ${name}\n`);
  });
  output.write(`\n${drawn(table, output)}\n`);
  output.write("Running a benchmark of two versions of the model Invoices over two accepted samples:\n");
  const figures = await benchmarkSamples(api, demo, (done, total) => output.write(`  ${done}/${total} files\n`));
  output.write(`\n${drawn(figures.metrics, output)}\n`);
  output.write("Comparing them, over the columns that both versions have:\n");
  output.write(`\n${drawn(figures.comparison, output)}\n`);
  output.write("Reviewing a parking ticket, which fits no route: a person says that it is a receipt.\n");
  const decisions = await reviewSample(api, demo.inboxId);
  output.write(`\n${drawn(decisions, output)}\n`);
  const record: DemoRecord = {
    organizationId: bootstrapped.organization.id,
    tokenPrefix: bootstrapped.secret.slice(0, 8),
    mailroomId,
  };
  await writeFile(file, `${JSON.stringify(record)}\n`);
  output.write(`Base URL  ${baseUrl}\nToken     ${bootstrapped.secret}   (keep it: it is shown only once)\n`);
  output.write(example(baseUrl, bootstrapped.secret, mailroomId));
  output.write(consoleLink(system, record.organizationId, options));
}

/** The width of tables if the width of the terminal is unknown. */
const widthWithoutTerminal = 120;

function drawn(table: Table, { isTTY, columns }: NodeJS.WriteStream): string {
  const unchanged = (text: string): string => text;
  const width = isTTY ? columns : widthWithoutTerminal;
  return renderView([table], { columns: width, header: true, bold: unchanged, state: unchanged }).text;
}

async function readRecord(file: string): Promise<DemoRecord | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as DemoRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function example(baseUrl: string, token: string, classifierId: string): string {
  const sample = relative(process.cwd(), fileURLToPath(new URL("invoice-harbour-lane.pdf", sampleFolder)));
  const command = `curl -H "Authorization: Bearer ${token}" -F file=@${sample} ${baseUrl}/api/v1/classify/${classifierId}`;
  return `Try it:\n${command}\n`;
}

/** How long the token of a person who followed the link is valid, in milliseconds. */
const tokenValidMs = 12 * 60 * 60 * 1_000;

/** Returns the line with the link that signs in to the console once; nothing if the console is off. */
function consoleLink(system: System, organizationId: string, { tokenPepper, signIn }: DemoOptions): string {
  if (signIn === undefined) return "";
  const code = signIn.create(() =>
    issueAdministratorToken({ storage: system.configurationStorage, tokenPepper }, organizationId, {
      name: "Console",
      validMs: tokenValidMs,
    }),
  );
  return `Console (the link signs in once, within 24 hours; the next start prints a new one):\n${toLocalUrl(system.gateway.url)}/#sign-in=${code}\n`;
}
