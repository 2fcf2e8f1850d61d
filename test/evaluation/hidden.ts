/**
 * `npm run evaluate -- hidden`: classifies and extracts 200 documents and their twins with hidden text, over REST on a whole system: the decisions
 * and values of both must be the same, and all twins must have the warning. Then reads the files of the folder DOCUMENT_SETS and lists those with
 * hidden text. Without those that do hide text, they should be less than 0.5 %.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { HiddenReasonSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { createDocumentReader, pageTexts } from "@switchyard/extraction/reading";
import { hiddenLines, hidingPlaces, makeVisibleDocument } from "@switchyard/extraction/testing/hidden-documents";
import { createOffice, finishedExtraction } from "../journeys/fixture.ts";
import { createRest } from "../rest.ts";
import type { Rest } from "../rest.ts";
import { startTestSystem } from "../system.ts";

const count = 200;

const system = await startTestSystem("one process");
try {
  const rest = createRest(system.url, system.token);
  const { classifier } = await createOffice(rest, "Accounts payable");
  await measureTwins(rest, classifier);
  const folder = process.env["DOCUMENT_SETS"];
  if (folder === undefined) console.log("false alarms: skipped, because DOCUMENT_SETS names no folder");
  else await measureFiles(join(folder, "files"));
} finally {
  await system.close();
}

async function measureTwins(rest: Rest, classifier: string): Promise<void> {
  const outcomes = new Map<string, { documents: number; same: number; flagged: number; alarms: number }>();
  for (let number = 0; number < count; number++) {
    const { name, filename, create } = hidingPlaces[number % hidingPlaces.length]!;
    const lines = hiddenLines[Math.floor(number / hidingPlaces.length) % hiddenLines.length]!;
    const document = makeVisibleDocument(number);
    const plain = await processDocument(rest, classifier, filename, await create(document, []));
    const twin = await processDocument(rest, classifier, filename, await create(document, lines));
    const outcome = outcomes.get(name) ?? { documents: 0, same: 0, flagged: 0, alarms: 0 };
    outcomes.set(name, outcome);
    outcome.documents += 1;
    if (plain.result === twin.result) outcome.same += 1;
    else console.log(`${name}, document ${number}: ${plain.result}\n  and its twin: ${twin.result}`);
    if (twin.flagged) outcome.flagged += 1;
    if (plain.flagged) outcome.alarms += 1;
  }
  for (const [name, { documents, same, flagged, alarms }] of outcomes) {
    console.log(
      `${name.padEnd(28)} ${documents} twins, ${same} with the same results, ${flagged} flagged; ${alarms} false`,
    );
  }
  const all = [...outcomes.values()];
  const sum = (pick: (outcome: (typeof all)[number]) => number): number =>
    all.reduce((total, each) => total + pick(each), 0);
  console.log(
    `${outcomes.size} kinds: ${sum((each) => each.same)} of ${count} twins have the same decisions and values, ${sum((each) => each.flagged)} are flagged; ${sum((each) => each.alarms)} documents without hidden text are flagged`,
  );
}

async function processDocument(rest: Rest, classifier: string, filename: string, bytes: Uint8Array) {
  const { body } = await rest.upload(`/api/v1/classify/${classifier}`, filename, bytes);
  const { status, routeName, confidence, scores, reason } = body;
  const extracted = body.extraction ? await finishedExtraction(rest, body.extraction.id) : undefined;
  return {
    result: JSON.stringify({ status, routeName, confidence, scores, reason, tables: extracted?.tables }),
    flagged: isFlagged(body),
  };
}

/** Reads the files themselves. Recognizing text in their pictures would take minutes, and hides nothing. */
async function measureFiles(folder: string): Promise<void> {
  const reader = createDocumentReader({ maxPictures: 0 });
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    let flagged = 0;
    for (const { parentPath, name } of files) {
      const bytes = new Uint8Array(await readFile(join(parentPath, name)));
      const { text, hiddenText } = await reader.read({ bytes, filename: name, contentType: "" });
      if (hiddenText === undefined) continue;
      flagged += 1;
      const hidden = pageTexts(text).flatMap((page) => page.hidden);
      const texts = hidden.slice(0, 10).map((each) => `${HiddenReasonSchema.value[each.reason]?.name} "${each.text}"`);
      console.log(`${name}: ${texts.join(", ")}`);
    }
    console.log(`${flagged} of ${files.length} files have hidden text`);
  } finally {
    await reader.close();
  }
}

function isFlagged({ warnings }: { warnings: readonly { code: string }[] }): boolean {
  return warnings.some(({ code }) => code === "HIDDEN_TEXT");
}
