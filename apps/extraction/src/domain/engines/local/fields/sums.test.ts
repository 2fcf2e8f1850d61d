import { createConfiguration, placedDocument, plainValues, type Placed } from "../../../../testing/documents.ts";
import { extractTables } from "../extract.ts";

const sums = createConfiguration({
  invoice: [
    ["net", "Net amount", "NUMBER"],
    ["tax", "Tax amount", "NUMBER"],
    ["total", "Total amount", "NUMBER"],
    ["due", "Amount due", "NUMBER"],
  ],
});

const read = (...lines: readonly (readonly Placed[])[]) =>
  plainValues(extractTables(placedDocument(lines), sums)[0]?.rows[0]);

describe("the sums of a document", () => {
  test("are in the last line of a table with a line for each rate, if it adds the others up", () => {
    const values = read(
      [
        [4, "Net amount"],
        [30, "VAT amount"],
        [50, "VAT %"],
        [70, "Total"],
      ],
      [
        [4, "326.50"],
        [31, "62.04"],
        [50, "19.0"],
        [70, "388.54"],
      ],
      [
        [4, "130.70"],
        [31, "9.15"],
        [50, "7.0"],
        [70, "139.85"],
      ],
      [
        [4, "457.20"],
        [31, "71.19"],
        [50, "EUR"],
        [70, "528.39"],
      ],
    );
    expect(values).toMatchObject({ net: 457.2, tax: 71.19, total: 528.39 });
  });

  test("are amounts with cents rather than counts where the document prints cents", () => {
    const write = (...lines: readonly (readonly [label: string, number: string])[]) =>
      read(
        ...lines.map(([label, number]): Placed[] => [
          [4, label],
          [70, number],
        ]),
      );
    const items = ["105.66", "17.45", "8.40", "7.92", "13.92"].map((amount) => ["Item", amount] as const);
    expect(write(...items, ["Total", "5"], ["Net total", "153.35"])).toMatchObject({ total: 153.35 });
    // Spreadsheets leave cents out where they are 0.
    expect(write(...items, ["Total", "153"])).toMatchObject({ total: 153 });
    expect(write(...items, ["Amount due", "153"])).toMatchObject({ due: 153 });
  });

  test("are added up from lines for each rate if the sum of the taxes is not printed", () => {
    const values = read(
      [
        [4, "Nettobetrag"],
        [70, "300,00"],
      ],
      [
        [4, "zzgl. Umsatzsteuer 7 % von 100,00"],
        [70, "7,00"],
      ],
      [
        [4, "zzgl. Umsatzsteuer 19 % von 200,00"],
        [70, "38,00"],
      ],
      [
        [4, "Rechnungsbetrag"],
        [70, "345,00"],
      ],
    );
    expect(values).toMatchObject({ net: 300, tax: 45, total: 345 });
  });

  test("are not what a label in brackets or after 'without' names", () => {
    const values = read(
      [
        [4, "Rechnungssumme Netto (exkl. USt.)"],
        [70, "193,83"],
      ],
      [
        [4, "Summe Umsatzsteuer"],
        [70, "21,31"],
      ],
      [
        [4, "Rechnungssumme Brutto (inkl. USt.)"],
        [70, "215,14"],
      ],
    );
    expect(values).toMatchObject({ net: 193.83, tax: 21.31, total: 215.14 });
  });

  test("are not what was carried forward between pages", () => {
    const values = read(
      [
        [4, "Carried forward"],
        [70, "500.00"],
      ],
      [
        [4, "Subtotal"],
        [70, "800.00"],
      ],
      [
        [4, "Sales tax 5%"],
        [70, "40.00"],
      ],
      [
        [4, "Total payable"],
        [70, "840.00"],
      ],
    );
    expect(values).toMatchObject({ net: 800, tax: 40, total: 840 });
  });

  test("include an amount without a known label that completes net + tax = total", () => {
    const values = read(
      [
        [4, "Net total:"],
        [40, "496.00"],
      ],
      [
        [4, "VAT total:"],
        [40, "75.04"],
      ],
      [
        [4, "Sum for your attention:"],
        [40, "571.04"],
      ],
    );
    expect(values).toMatchObject({ net: 496, tax: 75.04, total: 571.04 });
  });

  test("are not digits of a telephone number", () => {
    const values = read(
      [
        [4, "Balance at 30 days"],
        [50, "+33 4 72 07 08 56"],
      ],
      [
        [4, "Total"],
        [50, "2,076.76"],
      ],
      [
        [4, "Residual"],
        [50, "1,453.76"],
      ],
    );
    expect(values).toMatchObject({ total: 2076.76, due: 1453.76 });
  });
});

describe("the title of a document", () => {
  const titled = createConfiguration({
    invoice: [
      ["number", "Invoice number"],
      ["date", "Invoice date", "DATE"],
    ],
  });
  test.each([
    ["an addition before the number", [["Rechnung des Lieferanten (380) Nr. 01.234.5-2018 vom 06.12.2018"]]],
    ["a date on its second line", [["Gutschrift (Kopie) Nr. 01.234.5-2018 vom"], ["06.12.2018"]]],
    ["a second line that begins before the date", [["Gutschrift (Kopie) Nr. 01.234.5-2018"], ["vom 06.12.2018"]]],
  ])("has number and date with %s", (_, title) => {
    const others = [["Version vom 24.03.2020"], ["Verkäufer"], ["Nummer: 549910"]];
    const lines = [...others.slice(0, 1), ...title, ...others.slice(1)].map(
      ([text]) => [[8, text]] as [number, string][],
    );
    const values = plainValues(extractTables(placedDocument(lines), titled)[0]?.rows[0]);
    expect(values).toEqual({ number: "01.234.5-2018", date: "2018-12-06" });
  });
});

describe("text that runs up the margin", () => {
  test("is beside no row", () => {
    const document = placedDocument([
      [
        [10, "Net amount"],
        [60, "100.00"],
      ],
      [
        [10, "VAT"],
        [60, "19.00"],
      ],
      [
        [10, "Total"],
        [60, "119.00"],
      ],
    ]);
    const [page] = document.pages;
    const [line] = page?.lines ?? [];
    if (!page || !line) throw new Error("no line");
    const box = { ...line.box, x: 0.02, y: 0, width: 0.012, height: 0.6 } as NonNullable<typeof line.box>;
    page.lines.unshift({ ...line, text: "Total 7.00 of the form 4711", words: [], box });
    expect(plainValues(extractTables(document, sums)[0]?.rows[0])).toMatchObject({ net: 100, tax: 19, total: 119 });
  });

  const lines = (...pairs: readonly (readonly [string, string])[]) =>
    read(
      ...pairs.map(([label, amount]): readonly Placed[] => [
        [4, label],
        [70, amount],
      ]),
    );

  test("are not those of what is taxed at one rate", () => {
    const values = lines(
      ["Total 0% supplies:", "7.61"],
      ["Total 6% supplies (excl. GST):", "24.00"],
      ["GST:", "1.44"],
      ["Total 6% supplies (inc. GST):", "25.44"],
      ["Total payable:", "33.05"],
    );
    expect(values).toMatchObject({ total: 33.05 });
  });

  test("are rounded to five cents where the document says so", () => {
    expect(lines(["Total sales", "42.33"], ["Rounding adjustment", ".02"], ["Rounding", "42.35"])).toMatchObject({
      total: 42.35,
    });
    expect(lines(["Total sales", "42.33"], ["Card", "42.33"])).toMatchObject({ total: 42.33 });
  });

  test("without a label are what was paid less the change, or a subtotal that was paid", () => {
    expect(lines(["Subtotal", "90.75"], ["", "96.20"], ["Cash", "100.00"], ["Change", "3.80"])).toMatchObject({
      total: 96.2,
    });
    expect(lines(["Subtotal", "20.40"], ["Cash", "20.40"])).toMatchObject({ total: 20.4 });
  });
});
