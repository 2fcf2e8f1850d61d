import { createLayout, type Cell } from "../layout/layout.ts";
import { plainDocument } from "../../testing/documents.ts";
import { detectDayOrder, findDates } from "@switchyard/text";
import { ibansIn, identifierTokensIn, isIban, phonesIn, taxIdentifiersIn } from "./identifiers.ts";
import { endsWithLegalForm, hasLegalForm, nameShape, onlyLegalForm } from "./names.ts";
import { detectDecimalMark, numbersIn, parseNumber } from "./numbers.ts";
import { parseBoolean, valueIn } from "./words.ts";
import { printed } from "../layout/span.ts";

function cell(text: string): Cell {
  return createLayout(plainDocument(text)).cells[0] as Cell;
}

describe("numbers", () => {
  it.each([
    ["1.234,56", undefined, 1234.56],
    ["1,234.56", undefined, 1234.56],
    ["1 234,56", undefined, 1234.56],
    ["1'234.50", undefined, 1234.5],
    ["1.234", ",", 1234],
    ["1.234", ".", 1.234],
    ["0.125", undefined, 0.125],
    ["3,3333", undefined, 3.3333],
    ["1.234.567", undefined, 1234567],
    ["1,25,000.00", undefined, 125000],
    ["12,34,567", ".", 1234567],
    [".50", undefined, 0.5],
    [".500", undefined, 0.5],
  ] as const)("are read from %s with the decimal mark %s as %d", (text, mark, value) => {
    expect(parseNumber(text, mark)?.value).toBe(value);
  });

  it.each(["1.2.3", "12,34,5", "1.", "1,2345678"])("are not read from %s", (text) => {
    expect(parseNumber(text, undefined)).toBeUndefined();
  });

  it("are found with sign, currency and percent, but not in dates, times, codes and words", () => {
    const values = (text: string) => numbersIn(cell(text), ".").map((number) => number.value);
    expect(values("-12.50 and $-3.00 and (4.00) and 5.00-")).toEqual([-12.5, -3, -4, -5]);
    expect(values("($5.00) and 6.00− and 10.00 - a remark")).toEqual([-5, -6, 10]);
    expect(values("5.00 -")).toEqual([-5]);
    expect(values("$.50 or .75 of a total.......... 80")).toEqual([0.5, 0.75, 80]);
    expect(values("₹1,25,000.00")).toEqual([125000]);
    expect(values("RM73.00")).toEqual([73]);
    const printedAs = (text: string) => numbersIn(cell(text), ".")[0]?.spans.map(printed);
    expect(printedAs("Total RM73.00")).toEqual(["RM73.00"]);
    expect(printedAs("Total RM 73.00")).toEqual(["73.00"]);
    expect(printedAs("NO73.00 -$3")).not.toEqual(["NO73.00"]);
    expect(values("12/03/2024 10:30 A4 AB-123 2013-471331")).toEqual([]);
    expect(values("misread: 15.U0, in a list: 1.Item")).toEqual([1]);
    const [percent] = numbersIn(cell("19 % of EUR 20"), ".");
    expect(percent?.percent).toBe(true);
    expect(numbersIn(cell("EUR 20"), ".")[0]?.currency).toBe("EUR");
  });

  it("have the decimal mark of the document", () => {
    expect(detectDecimalMark(["1,50", "2,25", "3.20"])).toBe(",");
    expect(detectDecimalMark(["1.50"])).toBe(".");
    expect(detectDecimalMark(["no numbers"])).toBeUndefined();
  });
});

describe("dates", () => {
  const first = (text: string, order: "day-first" | "month-first" = "day-first") => findDates(text, order)[0]?.value;

  it.each([
    ["05.03.2026", "2026-03-05"],
    ["2026-03-05", "2026-03-05"],
    ["5 March 2026", "2026-03-05"],
    ["March 5, 2026", "2026-03-05"],
    ["5. März 2026", "2026-03-05"],
    ["1er février 2026", "2026-02-01"],
    ["3rd day of June, 2024", "2024-06-03"],
    ["12-MAR-19", "2019-03-12"],
    ["17/04/99", "1999-04-17"],
  ])("are read from %s", (text, day) => {
    expect(first(text)).toBe(day);
  });

  it("have the document's order if two parts could be the month", () => {
    expect(first("04/05/2026", "day-first")).toBe("2026-05-04");
    expect(first("04/05/2026", "month-first")).toBe("2026-04-05");
    expect(detectDayOrder(["04/05/2026", "04/25/2026"])).toBe("month-first");
    expect(detectDayOrder(["04/05/2026", "25/04/2026"])).toBe("day-first");
    expect(detectDayOrder(["Boston, MA 02110", "$ 5"])).toBe("month-first");
  });

  it.each(["31.02.2026", "00.01.2026", "12.13.2026", "version 1.2.3", "1.2.34.5"])("are not read from %s", (text) => {
    expect(first(text)).toBeUndefined();
  });
});

describe("identifiers", () => {
  it("are IBANs with valid check digits, without the words after them", () => {
    expect(isIban("DE89 3704 0044 0532 0130 00")).toBe(true);
    expect(isIban("DE88 3704 0044 0532 0130 00")).toBe(false);
    expect(ibansIn(cell("IBAN DE89 3704 0044 0532 0130 00 BIC COBADEFF"))[0]?.value).toBe(
      "DE89 3704 0044 0532 0130 00",
    );
    expect(ibansIn(cell("IBAN GB33 BUKB 2020 1555 5555 55 and"))[0]?.value).toBe("GB33 BUKB 2020 1555 5555 55");
  });

  it("are words with digits that are not amounts, dates or percentages", () => {
    const values = (text: string) => identifierTokensIn(cell(text)).map((token) => token.value);
    expect(values("RE-20151008/504 12.50 08.10.2015 19 %")).toEqual(["RE-20151008/504"]);
    expect(taxIdentifiersIn(cell("USt-ID DE136695976"))[0]?.value).toBe("DE136695976");
    expect(phonesIn(cell("Tel +49 (0) 555 23 78-0"))[0]?.value).toBe("+49 (0) 555 23 78-0");
  });
});

describe("the recognition of names and values", () => {
  it("distinguishes organizations from titles, sentences and contact details", () => {
    expect(hasLegalForm("Holzwerk Nord GmbH & Co. KG")).toBe(true);
    expect(onlyLegalForm("(M) SDN BHD")).toBe(true);
    expect(onlyLegalForm("Nord GmbH")).toBe(false);
    expect(endsWithLegalForm("Nord S.A.R.L. (123456-A)")).toBe(true);
    expect(endsWithLegalForm("Nord GmbH, Talweg 3")).toBe(false);
    expect(nameShape("Marlow & Pike Ltd")).toBeGreaterThan(0.9);
    for (const text of ["TAX INVOICE", "Tel: 555", "a@b.example", "Dear customer,", "Mietrechnung"]) {
      expect(nameShape(text)).toBe(0);
    }
    expect(nameShape("The ducks have nothing at all against a little company.")).toBeLessThan(0.3);
  });

  it("finds Booleans and ENUM values", () => {
    expect(parseBoolean("Ja, gern")?.value).toBe(true);
    expect(parseBoolean("[ ] maybe")?.value).toBe(false);
    expect(parseBoolean("maybe")).toBeUndefined();
    expect(valueIn("paid by CREDIT CARD", ["CARD", "CREDIT_CARD"])?.value).toBe("CREDIT_CARD");
    expect(valueIn("weight in KG", ["kg", "KG"])?.value).toBe("KG");
    expect(valueIn("weight in Kg", ["kg", "KG"])?.value).toBe("kg");
    expect(valueIn("cardboard", ["CARD"])).toBeUndefined();
  });
});
