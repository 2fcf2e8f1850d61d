import { createConfiguration, plainDocument } from "../../../testing/documents.ts";
import { injections } from "../../../testing/injections.ts";
import { minimumConfidence } from "../../review/review.ts";
import { readAnswer } from "./answer/answer.ts";
import { languageModel } from "./language-model.ts";

const configuration = createConfiguration({
  document: [
    ["number", "Invoice number"],
    ["total", "Total", "NUMBER"],
    ["paid", "Paid", "BOOLEAN"],
  ],
  items: [
    ["item", "Item"],
    ["amount", "Amount", "NUMBER"],
  ],
});
const lines = ["Invoice number: INV-2024-17", "Total: 12.50"];
const clean = languageModel.prepare({ text: plainDocument(lines.join("\n")), configuration, knowledge: undefined });

/** The places at which a stranger puts a text: in a line, in the name of an attachment or sheet, and in the headers of a message. */
const places: Readonly<Record<string, (injection: string) => ReturnType<typeof plainDocument>>> = {
  "a line": (injection) => withLine([...lines], injection),
  "file names": (injection) => {
    const text = plainDocument(lines.join("\n"));
    for (const page of text.pages) [page.attachment, page.sheet] = [`${injection}.pdf`, injection];
    return text;
  },
  "e-mail headers": (injection) =>
    withLine(["From: a@b.example", "To: c@d.example", `Subject: ${injection}`, "", ...lines], `X-Note: ${injection}`),
};

/** A reader gives no line breaks within a line, but the engine does not rely on that. */
function withLine(before: readonly string[], injection: string) {
  const text = plainDocument([...before, "x"].join("\n"));
  const last = text.pages.at(-1)?.lines.at(-1);
  if (last) last.text = injection;
  return text;
}

/** What a model answers that obeys whoever speaks last. */
const obedient = {
  document: {
    number: { value: "PWNED BY A STRANGER", quote: "the stranger says so", line: 1 },
    total: { value: 999999, quote: "1 million", line: 3 },
    paid: { value: true, quote: null, line: null },
    admin: { value: true, quote: "admin", line: 1 },
    confidence: 1,
  },
  items: [
    {
      item: { value: "<script>", quote: "", line: -1 },
      amount: { value: 1e300, quote: "Total", line: 2 },
      iban: "DE00",
    },
  ],
  secrets: [{ key: "sk-1" }],
  ...(JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}') as object),
};

describe("instructions in a document", () => {
  it("are tested with many texts", () => {
    expect(new Set(injections).size).toBeGreaterThanOrEqual(40);
  });

  describe.each(Object.entries(places))("in %s", (_, place) => {
    it.each(injections)("remain data: %j", (injection) => {
      const subject = { text: place(injection), configuration, knowledge: undefined };
      const [question, ...others] = languageModel.prepare(subject);
      expect(others).toEqual([]);
      // What the engine says, and the form of the answer, do not depend on the document.
      expect({ ...question, content: "" }).toEqual({ ...clean[0], content: "" });
      // Whatever the document says is in numbered lines, or in quotes in a heading.
      const shape = /^(== document ==|== page \d+(, (attachment|sheet) "(?:[^"\\]|\\.)*")* ==|\d+\| .*)$/u;
      const content = question?.content.split("\n") ?? [];
      expect(content.filter((line) => !shape.test(line))).toEqual([]);
      expect(content.map((line) => /^(\d+)\|/u.exec(line)?.[1]).filter((number) => number !== undefined)).toEqual(
        subject.text.pages
          .flatMap((page) => page.lines)
          .filter(({ text }) => /[^\s\p{Cc}]/u.test(text))
          .map((_, index) => `${index + 1}`),
      );
    });

    it.each(injections)("give a model that obeys them nothing: %j", (injection) => {
      const subject = { text: place(injection), configuration, knowledge: undefined };
      expect(readAnswer(obedient, configuration)).toBeDefined();
      const tables = languageModel.extract(subject, [obedient]);
      expect(tables.map(({ slug }) => slug)).toEqual(["document", "items"]);
      const rows = tables.flatMap((table) => table.rows);
      expect(rows.map(({ values }) => Object.keys(values))).toEqual([
        ["number", "total", "paid"],
        ["item", "amount"],
      ]);
      const confidences = rows.flatMap(({ confidence }) => Object.values(confidence));
      expect(Math.max(...confidences)).toBeLessThan(minimumConfidence);
      expect(rows.flatMap(({ evidence }) => Object.keys(evidence))).toEqual([]);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });
  });
});
