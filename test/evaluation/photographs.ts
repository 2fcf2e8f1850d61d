/**
 * `npm run evaluate -- photographs`: photographs of receipts from the folder DOCUMENT_SETS, through recognition, extraction and routing. Prints
 * the exact figures of four values, without accepted files and with those of other receipts, beside the figures of the given lines; the time
 * for a photograph; and how many are routed to the receipts among five routes.
 */
import { create, fromBinary } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createRouteScorer } from "@switchyard/classifier/domain/scoring/scorer";
import { DocumentTextSchema, type DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { extractTables } from "@switchyard/extraction/domain/engines/local/extract";
import { learn, toExamples, type Learned } from "@switchyard/extraction/domain/engines/local/learning/learn";
import { createDocumentReader, findOwnModels, plainText } from "@switchyard/extraction/reading";
import { readReceipts, textColumns, textConfiguration, toDocumentText } from "./receipt-set.ts";
import type { Receipt } from "./receipt-set.ts";
import { decideWithDefaults } from "./routing-measures.ts";
import { readRoutingSet } from "./routing-set.ts";
import { clean, report, toCell } from "./scoring.ts";
import type { Cell } from "./scoring.ts";

const ROUTES: readonly string[] = ["receipt", "invoice", "nda", "email", "scientific_paper"];
/** Accepted files that teach: receipts that are not among the photographs. */
const ACCEPTED = 200;

async function main(folder: string): Promise<void> {
  const receipts = new Map((await readReceipts(folder)).map((receipt) => [receipt.id, receipt]));
  const images = join(folder, "receipts/images");
  const names = (await readdir(images)).sort();
  const { routes } = readRoutingSet(folder, "office-mix");
  const five = routes.filter(({ id }) => ROUTES.includes(id));
  const score = createRouteScorer(five);
  const reader = createDocumentReader({ models: await findOwnModels(process.env["SWITCHYARD_OCR_MODELS"]) });
  const seconds: number[] = [];
  const photographs: { receipt: Receipt; document: DocumentText }[] = [];
  let right = 0;
  for (const name of names) {
    const receipt = receipts.get(name.replace(/\.\w+$/, ""));
    if (receipt === undefined) continue;
    const bytes = await readFile(join(images, name));
    const start = performance.now();
    const { text, problem } = await reader.read({ bytes, filename: name, contentType: "" });
    seconds.push((performance.now() - start) / 1_000);
    if (problem !== undefined) console.log(`  ${name}: ${problem.message}`);
    photographs.push({ receipt, document: fromBinary(DocumentTextSchema, text) });
    const decision = decideWithDefaults(five, score(plainText(text)));
    if (decision.status !== "UNCLASSIFIED" && decision.routeId === "receipt") right += 1;
  }
  await reader.close();
  const shown = new Set(photographs.map(({ receipt }) => receipt.id));
  const others = [...receipts.values()].filter(({ id }) => !shown.has(id)).slice(0, ACCEPTED);
  const learned = learn(others.map((receipt) => toExamplesOf(receipt)));
  const measure = (name: string, some: typeof photographs, known?: Learned): void => {
    report(
      name,
      some.flatMap((each) => toCells(each, known)),
    );
  };
  const given = photographs.map(({ receipt }) => ({ receipt, document: toDocumentText(receipt) }));
  measure(`photographs (${String(photographs.length)}), cold`, photographs);
  measure(`photographs, with ${String(others.length)} accepted files`, photographs, learned);
  measure("given lines, cold", given);
  measure(`given lines, with ${String(others.length)} accepted files`, given, learned);
  const sorted = [...seconds].sort((a, b) => a - b);
  console.log(`time for a photograph: median ${at(sorted, 0.5)} s, 95 % within ${at(sorted, 0.95)} s`);
  console.log(`routed to the receipts among ${five.length} routes: ${right} of ${photographs.length}`);
}

function at(sorted: readonly number[], part: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN).toFixed(1);
}

function toExamplesOf(receipt: Receipt) {
  const values = Object.fromEntries(
    textColumns.map((slug) => {
      const text = receipt.accepted[slug];
      const kind =
        text === undefined
          ? ({ case: "nullValue", value: 0 } as const)
          : ({ case: "stringValue", value: text } as const);
      return [slug, create(ValueSchema, { kind })];
    }),
  );
  return toExamples({ id: receipt.id, document: toDocumentText(receipt), values }, textConfiguration);
}

function toCells({ receipt, document }: { receipt: Receipt; document: DocumentText }, learned?: Learned): Cell[] {
  const row = extractTables(document, textConfiguration, learned)[0]?.rows[0];
  return textColumns.map((slug) => {
    const kind = slug === "total" ? "amount" : slug === "date" ? "date" : "text";
    return toCell(row, slug, clean(receipt.accepted[slug]), false, kind);
  });
}

const folder = process.env["DOCUMENT_SETS"];
if (folder === undefined || folder === "") console.log("skipped: DOCUMENT_SETS names no folder");
else await main(folder);
