import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { prepareValue } from "@switchyard/matching";
import { alignRows } from "./row-alignment.ts";
import type { AlignedColumn, PreparedRow } from "./row-alignment.ts";

const column = (isKey = false): AlignedColumn => ({ type: ColumnType.TEXT, isKey });

function toRows(columns: readonly AlignedColumn[], values: readonly (readonly string[])[]): PreparedRow[] {
  return values.map((row, place) => ({
    place,
    cells: columns.map((each, index) => prepareValue(each, row[index])),
  }));
}

/**
 * Aligns rows that have no value in common, several times. Returns the least time of the processor in this thread: what else the machine does
 * makes some of the times longer, and none shorter.
 */
function measure(width: number): number {
  const columns = Array.from({ length: width }, () => column());
  const create = (from: number) =>
    toRows(
      columns,
      Array.from({ length: 1_500 }, (_, row) => columns.map((_, index) => String(from + row * 1_000 + index))),
    );
  const [expected, actual] = [create(0), create(1e9)];
  const times = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    const { alignment, pairs } = alignRows(columns, expected, actual);
    const time = process.threadCpuUsage(before).user;
    expect([alignment, pairs.length]).toEqual(["approximate", 3_000]);
    return time;
  });
  return Math.min(...times);
}

describe("the alignment of large tables", () => {
  it("takes a time that grows with the number of columns, and not with its square", () => {
    measure(5);
    expect(measure(80) / measure(10)).toBeLessThan(24);
  });

  it("compares all pairs of rows with the same key in a limited number of groups, and equal rows in all", () => {
    const columns = [column(true), column(), column()];
    // 195 rows for each of 15 keys. One in ten is equal on both sides, and the others differ in one column.
    const create = (side: string) =>
      toRows(
        columns,
        Array.from({ length: 15 * 195 }, (_, row) => [
          `key ${row % 15}`,
          `${row}`,
          row % 10 === 0 ? "same" : `${side} ${row}`,
        ]),
      );
    const { alignment, pairs } = alignRows(columns, create("accepted"), create("extracted"));
    expect(alignment).toBe("approximate");
    expect(pairs.every(({ expected, actual }) => expected?.place === actual?.place)).toBe(true);
  });
});
