import { ContradictionCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createConfiguration, placedDocument, plainRows, type Placed } from "../../../../testing/documents.ts";
import { extractTables } from "../extract.ts";

const configuration = createConfiguration({
  invoice: [
    ["net", "Net amount", "NUMBER"],
    ["tax", "Tax amount", "NUMBER"],
    ["total", "Total amount", "NUMBER"],
  ],
  items: [
    ["description", "Description"],
    ["quantity", "Quantity", "NUMBER"],
    ["price", "Unit price", "NUMBER"],
    ["amount", "Amount", "NUMBER"],
  ],
});

type Line = readonly Placed[];
const item = (description: string, quantity: string, price: string, amount: string): Line => [
  [4, description],
  [44, quantity],
  [62, price],
  [84, amount],
];
const header = item("Description", "Quantity", "Unit price", "Amount");
const sum = (label: string, amount: string): Line => [
  [44, label],
  [84, amount],
];

function read(...pages: readonly (readonly Line[])[]) {
  const [, items] = extractTables(placedDocument(...pages), configuration);
  return { rows: plainRows(items), codes: items?.contradictions.map(({ code }) => code) };
}
const four = [
  { description: "Lamp", quantity: 2, price: 15, amount: 30 },
  { description: "Desk", quantity: 1, price: 120, amount: 120 },
  { description: "Chair", quantity: 4, price: 60, amount: 240 },
  { description: "Shelf", quantity: 1, price: 110, amount: 110 },
];
const lamp = item("Lamp", "2 pcs", "15.00", "30.00");
const desk = item("Desk", "1 pcs", "120.00", "120.00");
const chair = item("Chair", "4 pcs", "60.00", "240.00");
const shelf = item("Shelf", "1 pcs", "110.00", "110.00");
const totals = [sum("Net amount", "500.00"), sum("VAT 20%", "100.00"), sum("Total", "600.00")];

describe("the rows of a table", () => {
  test("have no units in their numbers", () => {
    expect(read([header, lamp, desk, chair, shelf, [], ...totals])).toEqual({ rows: four, codes: [] });
  });

  test.each([
    ["with its header", [header]],
    ["without a header", []],
  ])("continue on the next page %s, after its footer and its letterhead", (_, repeated) => {
    const first = [header, lamp, desk, sum("Carried forward", "150.00"), ...Array<Line>(30).fill([])];
    const footer: Line[] = [[[4, "Marlow & Pike Ltd, 7 Quay Road, Exeter"]], [[40, "Page 1 of 2"]]];
    const letterhead: Line[] = [[[4, "Marlow & Pike Ltd"]], [[4, "Invoice MP-2031, page 2 of 2"]], []];
    const brought = sum("Brought forward", "150.00");
    expect(read([...first, ...footer], [...letterhead, ...repeated, brought, chair, shelf, [], ...totals])).toEqual({
      rows: four,
      codes: [],
    });
  });

  test("continue after subtotals", () => {
    const subtotals = [sum("Subtotal", "150.00"), sum("Subtotal", "350.00")] as const;
    expect(read([header, lamp, desk, subtotals[0], chair, shelf, subtotals[1], [], ...totals])).toEqual({
      rows: four,
      codes: [],
    });
  });

  test("may have their amounts on a second line", () => {
    const lines = [lamp, desk, chair, shelf].flatMap((each): Line[] => [each.slice(0, 2), each.slice(2)]);
    expect(read([header, ...lines, [], ...totals])).toEqual({ rows: four, codes: [] });
  });

  test("have their amount on the right of the description, even if the quantity is called 'Amount'", () => {
    const lines = [header, lamp, desk, chair, shelf].map((line): Line => {
      const [description, quantity, price, amount] = line.map(([, text]) => text);
      return [
        [4, quantity === "Quantity" ? "Amount" : (quantity ?? "")],
        [14, description ?? ""],
        [62, price ?? ""],
        [84, amount === "Amount" ? "Total" : (amount ?? "")],
      ];
    });
    expect(read([...lines, [], ...totals])).toEqual({ rows: four, codes: [] });
  });

  test("are read once if a copy of the document follows", () => {
    const page = [header, lamp, desk, chair, shelf, [], ...totals];
    expect(read(page, page).rows).toEqual(four);
  });

  test("that do not add up to the total contradict it", () => {
    expect(read([header, lamp, desk, shelf, [], ...totals]).codes).toEqual([ContradictionCode.ROW_SUM_MISMATCH]);
  });

  test("that nobody found contradict the total", () => {
    expect(read(totals)).toEqual({ rows: [], codes: [ContradictionCode.ROW_SUM_MISMATCH] });
  });

  test("with a gap in their positions are a contradiction, and add up to the total with shipping and a discount", () => {
    const numbered = (position: string, line: Line): Line => [
      [0, position],
      ...line.map(([x, text]): Placed => [x + 6, text]),
    ];
    const more = [sum("Shipping", "10.00"), sum("Discount", "20.00"), sum("Total", "490.00")];
    const lines = [numbered("Pos", header), numbered("1", lamp), numbered("2", desk), numbered("3", chair)];
    expect(read([...lines, numbered("4", shelf), [], ...more])).toEqual({ rows: four, codes: [] });
    expect(read([...lines, numbered("6", shelf), [], ...more]).codes).toEqual([ContradictionCode.ROW_NUMBER_GAP]);
  });

  test("are doubted if a line far below them looks like one", () => {
    const far = [header, lamp, desk, chair, ...Array<Line>(14).fill([]), shelf];
    const { rows, codes } = read(far);
    expect(rows).toEqual(four.slice(0, 3));
    expect(codes).toEqual([ContradictionCode.LINE_LEFT_OUT]);
  });
});

describe("the rows of an account statement", () => {
  const statement = createConfiguration({
    statement: [["number", "Account number"]],
    entries: [
      ["date", "Date", "DATE"],
      ["text", "Description"],
      ["amount", "Amount", "NUMBER"],
    ],
  });
  const entry = (date: string, text: string, amount: string, balance: string): Line => [
    [4, date],
    [18, text],
    [62, amount],
    [84, balance],
  ];
  const lines = [
    entry("Date", "Description", "Amount", "Balance"),
    entry("01/02/2026", "Rent", "-800.00", "200.00"),
    entry("03/02/2026", "Salary", "2,500.00", "2,700.00"),
    entry("09/02/2026", "Groceries", "-64.20", "2,635.80"),
    entry("11/02/2026", "Power", "-90.00", "2,545.80"),
  ];
  const codes = (...page: readonly Line[]) =>
    extractTables(placedDocument(page), statement)[1]?.contradictions.map(({ code }) => code);

  test("are checked by the balance, which no column asks for, and by the balances before and after them", () => {
    expect(codes(sum("Opening balance", "1,000.00"), ...lines, sum("Closing balance", "2,545.80"))).toEqual([]);
    expect(
      codes(
        sum("Opening balance", "1,000.00"),
        ...lines.filter((_, at) => at !== 3),
        sum("Closing balance", "2,545.80"),
      ),
    ).toEqual([ContradictionCode.ROW_SUM_MISMATCH]);
    expect(codes(...lines)).toEqual([]);
  });
});
