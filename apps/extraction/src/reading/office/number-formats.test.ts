import { formatNumber, toFormat } from "./number-formats.ts";

describe("the numbers of a workbook", () => {
  it.each([
    // Places that are only displayed if the number has them.
    ["1234.56", "#,##0.##", "1234.56"],
    ["12.5", "0.0##", "12.5"],
    ["12", "0.0##", "12.0"],
    ["12", "0.##", "12"],
    // Leading zeros, as in postal codes.
    ["1067", "00000", "01067"],
    ["-7", "000", "-007"],
    ["0.5", "#.00", "0.50"],
    // Rounded by the decimal digits.
    ["1.005", "0.00", "1.01"],
    ["1.7249999999999999", "0.00", "1.73"],
    ["-2.675", "0.00", "-2.68"],
    ["0.28999999999999998", "0%", "29%"],
    ["0.14499999999999999", "0%", "15%"],
    ["12345678901234.5", "0.00", "12345678901234.50"],
    ["1e-9", "0.00", "0.00"],
    ["1.5e30", "0.00", "1.5e+30"],
    // Fractions and powers of ten have no fixed number of decimals.
    ["12.5", "# ?/?", "12.5"],
    ["0.00012345", "0.00E+00", "0.00012345"],
    // In thousands and millions.
    ["12345678", '0.0,,"M"', "12.3 M"],
    ["1234567", "#,##0,", "1235"],
    ["1234567", "#,##0", "1234567"],
    // Only the first section counts.
    ["1234.5", '#,##0.00;"minus "0.00', "1234.50"],
    ["5", '0 "a;b"', "5 a;b"],
    // Durations may be longer than a day.
    ["1.7291666666666667", "[h]:mm", "41:30"],
    ["1.7291666666666667", "[hh]:mm:ss", "41:30:00"],
    ["-0.0625", "[mm]:ss", "-90:00"],
    ["0.5", "[h]", "12"],
    ["46112", "mmmm", "2026-03-31"],
    ["46112.5", "dd.mm.yyyy hh:mm", "2026-03-31 12:00"],
    ["0.75", "h:mm AM/PM", "18:00"],
    ["12.5", "General", "12.5"],
    ["12.5", "[$€-407] #,##0.00", "12.50 €"],
    ["x", "0.00", "x"],
  ])("displays %s in the format %s as %s", (value, code, shown) => {
    expect(formatNumber(value, toFormat(code), false)).toBe(shown);
  });
});
