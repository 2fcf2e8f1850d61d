import pc from "picocolors";
import type { Classification } from "@switchyard/client";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { runClassification, type RunCounts, type RunOutcome } from "../../classification/classification-run.ts";
import type { Input } from "../../parsing/input.ts";
import type { Context } from "../../context.ts";
import { chooseDocuments } from "../../documents/document-choice.ts";
import { collectDocuments, type DocumentSource } from "../../documents/documents.ts";
import { errorText, getMessage } from "../../terminal/error-text.ts";
import { exitCodes, Failure, UsageError } from "../../terminal/exit-codes.ts";
import { supportsColor } from "../../terminal/io.ts";
import { journalPath, openJournal, type RunIdentity } from "../../classification/journal.ts";
import { createProgress } from "../../terminal/progress.ts";
import { readText } from "../../terminal/prompt.ts";
import { printable, table, type Cell, type Column } from "@switchyard/terminal";

const columns: readonly Column[] = [
  { title: "document", content: "path" },
  { title: "status" },
  { title: "route", content: "text" },
  { title: "confidence", right: true },
  { title: "deployment", content: "text" },
  { title: "id", content: "id" },
  { title: "extraction", content: "reference" },
  { title: "reason", content: "text" },
];

/** Executes `classify run`. Resolves with the exit code. */
export async function runDocuments(context: Context, input: Input): Promise<number> {
  const { io } = context;
  const words = [...input.rest("path"), ...(await listedPaths(context, input))];
  if (words.length === 0)
    throw new UsageError("no documents are given: name files, folders or patterns, or - for standard input");
  const found = await collectDocuments(words, io.folder);
  const { baseUrl } = await context.connection();
  await requireMayClassify(context);
  const documents = await chooseDocuments(context, input, found);
  const settings = {
    classifierId: input.argument("classifierId"),
    extract: !input.on("no-extract"),
    explain: input.on("explain"),
  };
  const identity: RunIdentity = {
    baseUrl,
    ...settings,
    paths: words.map((word) => (word === "-" ? word : resolve(io.folder, word))),
  };
  const journalOption = input.text("journal");
  const path = journalOption === undefined ? journalPath(identity, io) : resolve(io.folder, journalOption);
  const journal = await openJournal(path, identity, input.on("again"));
  const shown = createShow(context, documents.length);
  const concurrency = input.integer("concurrency") ?? 4;
  const stdinName = input.text("filename") ?? "document";
  const running = { client: await context.client(), ...settings, concurrency, stdinName, journal, io };
  const counts = await runClassification(documents, running, (outcome, document) =>
    shown.report(outcome, document),
  ).finally(() => journal.close());
  shown.end();
  context.note(summary(counts, path, input.on("again")));
  if (counts.exitCode !== exitCodes.done) return counts.exitCode;
  return counts.unclassified > 0 && input.on("fail-on-unclassified") ? exitCodes.unclassified : exitCodes.done;
}

/** Throws if the token may not classify, before any document is read and sent. */
async function requireMayClassify(context: Context): Promise<void> {
  const { token } = await (await context.client()).getMe({}, { signal: context.io.signal });
  if (token === null || token.permissions.includes("classify")) return;
  throw new Failure(
    exitCodes.forbidden,
    "the token lacks the permission classify, so nothing was sent; `switchyard whoami` shows its permissions",
  );
}

async function listedPaths({ io }: Context, input: Input): Promise<readonly string[]> {
  const from = input.text("paths-from");
  if (from === undefined) return [];
  if (from === "-" && input.rest("path").includes("-"))
    throw new UsageError("standard input cannot be a document and a list of paths at once");
  const text = from === "-" ? await readText(io) : await readFile(resolve(io.folder, from), "utf8");
  // Programs on Windows begin files with a byte order mark.
  return text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .filter((line) => line !== "");
}

/**
 * Creates the output of outcomes: rows immediately if a program reads them, and otherwise a complete table at the end. Failures are always
 * written to standard error as well, so that they are not only among the data. So are warnings, unless the output is JSON, which contains
 * them.
 */
function createShow(context: Context, total: number) {
  const { io, json } = context;
  const { red } = pc.createColors(supportsColor(io.stderr, io.environment));
  const progress = createProgress(io, total);
  const rows: (readonly Cell[])[] = [];
  let done = 0;
  let failed = 0;
  let hasHeader = false;
  return {
    report(outcome: RunOutcome, { label }: DocumentSource): void {
      done += 1;
      if (outcome.kind === "failed") {
        failed += 1;
        progress.end();
        io.stderr.write(errorText(outcome.error, red, label));
      }
      if (outcome.kind === "classified" && !json) {
        // Records in the journals of earlier versions have no warnings.
        const { warnings = [] }: Partial<Classification> = outcome.record;
        if (warnings.length > 0) progress.end();
        for (const { message } of warnings) io.stderr.write(`warning: ${printable(`${label}: ${message}`)}\n`);
      }
      progress.update(done, failed > 0 ? `${failed} failed` : "");
      if (json) {
        if (outcome.kind === "classified")
          context.body(
            { bytes: new TextEncoder().encode(outcome.response), text: () => outcome.response },
            total > 1 ? "several" : undefined,
          );
      } else if (io.stdout.isTerminal) rows.push(toRow(label, outcome));
      else {
        context.show([table(columns, [toRow(label, outcome)])], !hasHeader);
        hasHeader = true;
      }
    },
    end(): void {
      progress.end();
      if (rows.length > 0) context.show([table(columns, rows)]);
    },
  };
}

function toRow(label: string, outcome: RunOutcome): readonly Cell[] {
  if (outcome.kind === "failed") return [label, "FAILED", null, null, null, null, null, getMessage(outcome.error)];
  const { id, status, routeName, confidence, deploymentName, extraction, reason } = outcome.record;
  const why = reason === null ? null : `${reason.code}: ${reason.message}`;
  return [label, status, routeName, confidence?.toFixed(2), deploymentName, id, extraction?.id, why];
}

function summary(counts: RunCounts, journal: string, again: boolean): string {
  const { total, classified, unclassified, failed, notSent, before } = counts;
  const parts = [
    `${classified} classified`,
    `${unclassified} unclassified`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(notSent > 0 ? [`${notSent} not sent`] : []),
  ];
  const known =
    before > 0
      ? ` ${before} of them had already been classified, according to ${journal}; --again classifies them again.`
      : "";
  // With --again, everything would start over.
  const rest = failed + notSent > 0 ? ` Repeat the command${again ? " without --again" : ""} to continue.` : "";
  return `${total} ${total === 1 ? "document" : "documents"}: ${parts.join(", ")}.${known}${rest}`;
}
