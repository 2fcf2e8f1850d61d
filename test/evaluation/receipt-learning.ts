/** Measures how much the extraction engine learns from accepted receipts, beside what it extracts without them. */
import { create } from "@bufbuild/protobuf";
import { ValueSchema, type Value } from "@bufbuild/protobuf/wkt";
import { extractTables } from "@switchyard/extraction/domain/engines/local/extract";
import {
  learn,
  toExamples,
  type FileExamples,
  type Learned,
} from "@switchyard/extraction/domain/engines/local/learning/learn";
import { readReceipts, textColumns, textConfiguration, toDocumentText } from "./receipt-set.ts";
import { clean, report, show, toCell } from "./scoring.ts";
import type { Cell } from "./scoring.ts";

const FOLDS = 5;
const SEEDS = [1, 2, 3, 4, 5];
/** The number of accepted files that are drawn, and of other documents on which each draw is measured. */
const DRAWN = 20;
const MEASURED = 120;

interface Subject {
  readonly id: string;
  readonly document: ReturnType<typeof toDocumentText>;
  readonly accepted: Partial<Record<(typeof textColumns)[number], string>>;
  readonly examples: FileExamples;
}

/** Prints the figures of the receipts of a folder, all columns as text and compared exactly: cold, with 20 accepted files, and with all. */
export async function measureLearning(folder: string): Promise<void> {
  const subjects = (await readReceipts(folder)).map((receipt): Subject => {
    const document = toDocumentText(receipt);
    const values = Object.fromEntries(textColumns.map((slug) => [slug, toText(receipt.accepted[slug])]));
    const examples = toExamples({ id: receipt.id, document, values }, textConfiguration);
    return { id: receipt.id, document, accepted: receipt.accepted, examples };
  });
  const cold = new Map(subjects.map((subject) => [subject.id, toCells(subject)]));
  const coldOf = (some: readonly Subject[]): Cell[] => some.flatMap(({ id }) => cold.get(id) ?? []);
  report(`receipts as text, cold (${String(subjects.length)} documents)`, coldOf(subjects));
  const [learnedCells, coldCells]: [Cell[], Cell[]] = [[], []];
  for (const seed of SEEDS) {
    const drawn = shuffle(subjects, seed);
    const rest = drawn.slice(DRAWN, DRAWN + MEASURED);
    const learned = learn(drawn.slice(0, DRAWN).map(({ examples }) => examples));
    learnedCells.push(...rest.flatMap((subject) => toCells(subject, learned)));
    coldCells.push(...coldOf(rest));
  }
  report(`with 20 accepted files (seeds ${SEEDS.join(", ")})`, learnedCells);
  report("... the same documents, cold", coldCells);
  for (const [name, key] of [
    ["by issuer", ({ accepted }: Subject) => (accepted.company ?? "").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")],
    ["by file", ({ id }: Subject) => id],
  ] as const) {
    const cells: Cell[] = [];
    const groups = shuffle([...new Set(subjects.map(key))].sort(), 1);
    const foldOf = new Map(groups.map((group, index) => [group, index % FOLDS]));
    let seconds = 0;
    for (let fold = 0; fold < FOLDS; fold += 1) {
      const start = performance.now();
      const learned = learn(subjects.filter((each) => foldOf.get(key(each)) !== fold).map(({ examples }) => examples));
      seconds += (performance.now() - start) / 1_000;
      for (const subject of subjects) if (foldOf.get(key(subject)) === fold) cells.push(...toCells(subject, learned));
    }
    report(
      `with all accepted files of ${String(FOLDS - 1)} of ${String(FOLDS)} folds, folds ${name} (learned in ${(seconds / FOLDS).toFixed(1)} s)`,
      cells,
    );
    if (name === "by issuer") for (const cell of cells) show("learned", cell);
  }
}

function toCells(subject: Subject, learned?: Learned): Cell[] {
  const row = extractTables(subject.document, textConfiguration, learned)[0]?.rows[0];
  return textColumns.map((slug) =>
    toCell(
      row,
      slug,
      clean(subject.accepted[slug]),
      false,
      slug === "total" ? "amount" : slug === "date" ? "date" : "text",
    ),
  );
}

function toText(text: string | undefined): Value {
  const value = clean(text);
  return create(ValueSchema, {
    kind: value === null ? { case: "nullValue", value: 0 } : { case: "stringValue", value },
  });
}

/** Shuffles a list, always in the same way for a seed. */
function shuffle<T>(list: readonly T[], seed: number): T[] {
  let state = seed * 2654435761;
  const random = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 2 ** 32;
  };
  const shuffled = [...list];
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [shuffled[index], shuffled[other]] = [shuffled[other] as T, shuffled[index] as T];
  }
  return shuffled;
}
