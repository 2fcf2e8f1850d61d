import type { ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createRandom, inventAnswer } from "@switchyard/engines/testing";
import { toScalar } from "@switchyard/matching";
import { createConfiguration, placedDocument, plainDocument } from "../../../testing/documents.ts";
import { calibrate } from "./calibration.ts";
import { languageModel } from "./language-model.ts";

const invoice = createConfiguration({
  document: [
    ["number", "Invoice number"],
    ["issued", "Date", "DATE"],
    ["total", "Total", "NUMBER"],
    ["kind", "Kind", "ENUM", { enumValues: ["INVOICE", "CREDIT_NOTE"] }],
    ["paid", "Paid", "BOOLEAN"],
  ],
  items: [
    ["item", "Item"],
    ["amount", "Amount", "NUMBER"],
  ],
});

const text = placedDocument([
  [
    [10, "ACME Ltd"],
    [70, "Invoice"],
  ],
  [[10, "Invoice number: INV-2024-17"]],
  [[10, "Date: 03.04.2024"]],
  [
    [10, "Item"],
    [70, "Amount"],
  ],
  [
    [10, "Bolts"],
    [70, "10.00"],
  ],
  [
    [10, "Nuts"],
    [70, "10.00"],
  ],
  [
    [10, "Total"],
    [70, "1,220.00"],
  ],
]);

/** Returns values, confidences and quotes of rows in a form that can be compared. */
function plain(table: ExtractedTable | undefined) {
  return table?.rows.map(({ values, confidence, evidence }) =>
    Object.fromEntries(
      Object.entries(values).map(([slug, value]) => [
        slug,
        [toScalar(value), confidence[slug] ?? null, evidence[slug]?.quote ?? null],
      ]),
    ),
  );
}

const cell = (value: unknown, quote: string | null, line: number | null = null) => ({ value, quote, line });

describe("the engine that asks a language model", () => {
  it("shows the document as numbered lines under the headings of its pages", () => {
    const [question, ...others] = languageModel.prepare({ text, configuration: invoice, knowledge: undefined });
    expect(others).toEqual([]);
    expect(question?.content).toBe(
      [
        "== document ==",
        "== page 1 ==",
        "1| ACME Ltd\tInvoice",
        "2| Invoice number: INV-2024-17",
        "3| Date: 03.04.2024",
        "4| Item\tAmount",
        "5| Bolts\t10.00",
        "6| Nuts\t10.00",
        "7| Total\t1,220.00",
      ].join("\n"),
    );
    expect(question?.answerSchema.required).toEqual(["document", "items"]);
  });

  it("trusts values whose words the document prints, and gives them the place that it found itself", () => {
    const tables = languageModel.extract({ text, configuration: invoice, knowledge: undefined }, [
      {
        document: {
          number: cell("INV-2024-17", "INV-2024-17"),
          issued: cell("2024-04-03", "03.04.2024"),
          total: cell(1220, "1,220.00"),
          kind: cell("INVOICE", "Invoice"),
          paid: cell(null, null),
        },
        items: [
          { item: cell("Bolts", "Bolts"), amount: cell(10, "10.00") },
          { item: cell("Nuts", "Nuts"), amount: cell(10, "10.00", 6) },
        ],
      },
    ]);
    expect(plain(tables[0])).toEqual([
      {
        number: ["INV-2024-17", 0.5, "INV-2024-17"],
        issued: ["2024-04-03", 0.5, "03.04.2024"],
        total: [1220, 0.5, "1,220.00"],
        kind: ["INVOICE", 0.5, "Invoice"],
        paid: [null, null, null],
      },
    ]);
    expect(plain(tables[1])).toEqual([
      { item: ["Bolts", 0.5, "Bolts"], amount: [10, 0.5, "10.00"] },
      { item: ["Nuts", 0.5, "Nuts"], amount: [10, 0.5, "10.00"] },
    ]);
    const [bolts, nuts] = tables[1]?.rows.map(({ evidence }) => evidence["amount"]?.box?.y ?? 0) ?? [];
    expect(bolts).toBeLessThan(nuts ?? 0);
  });

  it("gives what the document does not say no evidence and no confidence", () => {
    const [primary] = languageModel.extract({ text, configuration: invoice, knowledge: undefined }, [
      {
        document: {
          number: cell("INV-9", "INV-9"),
          issued: cell("2024-04-03", "paid in April"),
          // The words are printed, but they say another number.
          total: cell(99, "1,220.00"),
          kind: cell("CREDIT_NOTE", null),
          paid: cell(true, "12"),
        },
        items: [],
      },
    ]);
    expect(plain(primary)).toEqual([
      {
        number: ["INV-9", 0, null],
        issued: ["2024-04-03", 0, null],
        total: [99, 0, null],
        kind: ["CREDIT_NOTE", 0, null],
        paid: [true, 0, null],
      },
    ]);
  });

  it("does not take a long number for another one", () => {
    const printed = plainDocument("Item 4006381333931\nTotal\t1234567.89");
    const getQuote = (total: number, quote: string) => {
      const answer = { document: { total: cell(total, quote) } };
      const [primary] = languageModel.extract({ text: printed, configuration: invoice, knowledge: undefined }, [
        answer,
      ]);
      return primary?.rows[0]?.evidence["total"]?.quote ?? null;
    };
    expect(getQuote(4006381333931, "4006381333931")).toBe("4006381333931");
    expect(getQuote(4006381333934, "4006381333931")).toBeNull();
    expect(getQuote(1234567.89, "1234567.89")).toBe("1234567.89");
    expect(getQuote(1234567.891, "1234567.89")).toBeNull();
  });

  it("gives answers of random JSON no evidence and no confidence, even if it was right before", () => {
    const printed = plainDocument(
      [
        ...["ACME Ltd, 12 Harbour Road", "Invoice number: INV-2024-17", "Date: 03.04.2024", "Item\tAmount"],
        ...Array.from(
          { length: 15 },
          (_, n) => `${n + 1} a bolts of kind ${String.fromCharCode(97 + (n % 26))}\t${n}.50`,
        ),
        "Total\t1,220.00",
      ].join("\n"),
    );
    const right = ["number", "issued", "total", "kind", "paid"].map((slug) => {
      return { column: `document.${slug}`, found: true, right: true };
    });
    const invented = { column: "document.number", found: false, right: false };
    const calibration = calibrate(Array.from({ length: 30 }, () => [...right, invented]));
    const [question] = languageModel.prepare({ text: printed, configuration: invoice, knowledge: undefined });
    let values = 0;
    for (let seed = 0; seed < 300; seed += 1) {
      const knowledge = { examples: [], calibration: seed % 2 === 0 ? calibration : null };
      const subject = { text: printed, configuration: invoice, knowledge };
      const answer = inventAnswer(question?.answerSchema, createRandom(seed));
      const rows = languageModel.extract(subject, [answer]).flatMap((table) => table.rows);
      const confidences = rows.flatMap(({ confidence }) => Object.values(confidence));
      values += confidences.length;
      expect([seed, rows.flatMap(({ evidence }) => Object.entries(evidence))]).toEqual([seed, []]);
      expect(Math.max(0, ...confidences)).toBe(0);
    }
    expect(values).toBeGreaterThan(1_000);
  });

  it("lets only words that say a Boolean or an enum support it, or several letters", () => {
    const printed = plainDocument("Kind: A 7\nPaid: yes\nCREDIT NOTE of the year\nThe invoice was settled in cash");
    const given = (kind: string, paid: boolean, quotes: [string, string]) => {
      const document = { kind: cell(kind, quotes[0]), paid: cell(paid, quotes[1]) };
      const [primary] = languageModel.extract({ text: printed, configuration: invoice, knowledge: undefined }, [
        { document },
      ]);
      return ["kind", "paid"].map((slug) => primary?.rows[0]?.evidence[slug]?.quote ?? null);
    };
    expect(given("CREDIT_NOTE", true, ["CREDIT NOTE", "yes"])).toEqual(["CREDIT NOTE", "yes"]);
    expect(given("INVOICE", true, ["The invoice", "settled in cash"])).toEqual(["The invoice", "settled in cash"]);
    expect(given("INVOICE", false, ["A", "yes"])).toEqual([null, null]);
    expect(given("CREDIT_NOTE", true, ["7", "A 7"])).toEqual([null, null]);
  });

  it("types values, and leaves out those that do not fit their column", () => {
    const [primary] = languageModel.extract({ text, configuration: invoice, knowledge: undefined }, [
      {
        document: {
          number: 17,
          issued: cell("3 April 2024", "03.04.2024"),
          total: cell("1,220.00 EUR", "1,220.00"),
          kind: cell("RECEIPT", "Invoice"),
          paid: cell({ $set: 1 }, "Invoice"),
          constructor: cell("x", "x"),
        },
        others: [{ a: 1 }],
      },
    ]);
    expect(plain(primary)).toEqual([
      {
        number: ["17", 0, null],
        issued: ["2024-04-03", 0.5, "03.04.2024"],
        total: [1220, 0.5, "1,220.00"],
        kind: [null, null, null],
        paid: [null, null, null],
      },
    ]);
  });

  it("reads long documents in parts, repeats the head of a table, and joins the rows", () => {
    const rows = Array.from(
      { length: 900 },
      (_, index) => `Article ${index} with a long description of its own\t${index}.50`,
    );
    const long = plainDocument(["Statement", "Item\tAmount", ...rows, "Total\t5.00"].join("\n"));
    const subject = { text: long, configuration: invoice, knowledge: undefined };
    const questions = languageModel.prepare(subject);
    expect(questions.length).toBeGreaterThan(2);
    for (const { content } of questions.slice(1)) expect(content).toContain("2| Item\tAmount");
    const answers = questions.map(({ content }) => ({
      document: { number: cell(null, null), total: content.includes("| Total") ? cell(5, "5.00") : cell(4, "nothing") },
      // Like a model that does not follow the instruction, it also gives the rows of repeated lines.
      items: [...content.matchAll(/^(\d+)\| (Article \d+ with a long description of its own)\t(\d+\.50)$/gmu)].map(
        ([, line, item = "", amount = ""]) => ({
          item: cell(item, item, Number(line)),
          amount: cell(Number(amount), amount, Number(line)),
        }),
      ),
    }));
    const [primary, items] = languageModel.extract(subject, answers);
    expect(plain(primary)?.[0]?.["total"]).toEqual([5, 0.5, "5.00"]);
    expect(plain(items)?.map((row) => row["amount"]?.[0])).toEqual(rows.map((_, index) => index + 0.5));
    expect(plain(items)?.every((row) => row["item"]?.[1] === 0.5)).toBe(true);
  });

  it("returns a row of nulls without any usable answer", () => {
    for (const answer of [undefined, null, [], "text", 7, { document: 7 }, { document: [] }, { items: {} }]) {
      const tables = languageModel.extract({ text, configuration: invoice, knowledge: undefined }, [answer]);
      expect(plain(tables[0])?.[0]?.["total"]).toEqual([null, null, null]);
      expect(tables[1]?.rows).toEqual([]);
    }
  });

  it("takes confidences from calibration, never more than 0.5 for what was not found", () => {
    const outcome = (column: string, found: boolean, right: boolean) => ({ column, found, right });
    const documents = Array.from({ length: 20 }, () => [
      outcome("document.total", true, true),
      outcome("document.number", true, false),
      outcome("document.kind", false, true),
    ]);
    expect(calibrate(documents.slice(1))).toBeNull();
    const knowledge = { examples: [], calibration: calibrate(documents) };
    const [primary] = languageModel.extract({ text, configuration: invoice, knowledge }, [
      {
        document: {
          number: cell("INV-2024-17", "INV-2024-17"),
          total: cell(1220, "1,220.00"),
          kind: cell("INVOICE", "no such words"),
        },
      },
    ]);
    expect(primary?.rows[0]?.confidence).toEqual({ number: 0.083, total: 0.917, kind: 0.5 });
  });

  it("cuts documents and examples to what the context of the language model has room for", () => {
    const long = plainDocument(Array.from({ length: 600 }, (_, line) => `Line ${line} of the statement`).join("\n"));
    const tables = [{ $typeName: "switchyard.extraction.v1.AcceptedTable" as const, slug: "document", rows: [] }];
    const ask = (contextTokens?: number) =>
      languageModel.prepare({
        text: long,
        configuration: invoice,
        knowledge: { examples: [{ text, tables }], calibration: null, contextTokens },
      });
    const sizes = (questions: ReturnType<typeof ask>) =>
      questions.map(({ instructions, content, answerSchema }) =>
        Math.ceil((instructions.length + content.length + JSON.stringify(answerSchema).length) / 3),
      );
    expect([ask().length, ask(128_000).length]).toEqual([2, 2]);
    const small = ask(4_096);
    expect(small.length).toBeGreaterThan(6);
    expect(Math.max(...sizes(small))).toBeLessThan(3_300);
    // Nothing fits, but the language model is still asked about the document.
    expect(ask(1_000).every(({ content }) => !content.includes("== example"))).toBe(true);
    expect(new Set(ask(1_000).flatMap(({ content }) => content.match(/Line \d+/gu))).size).toBe(600);
  });
});
