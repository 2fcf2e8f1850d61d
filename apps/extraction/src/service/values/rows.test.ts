import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ExtractedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { encodeTables } from "../../store/tables.ts";
import type { PlacedValues } from "../../store/values/current-values.ts";
import { createRowReader } from "./rows.ts";

const rowsPerFile = 1_500;

/** Creates files whose values have more bytes than are decoded in one turn. */
function createFiles(count: number): PlacedValues[] {
  const description = create(ValueSchema, {
    kind: { case: "stringValue", value: "A line of an invoice that is quite long" },
  });
  const rows = Array.from({ length: rowsPerFile }, () => ({ values: { description } }));
  const tables = encodeTables([create(ExtractedTableSchema, { slug: "items", rows })]);
  return Array.from({ length: count }, (_, index) => ({
    ...{
      fileId: `fil_${index}`,
      modelId: "mdl_1",
      projectId: "prj_1",
      filename: "a.txt",
      position: `${count - index}`,
    },
    ...{ fileCreatedAt: new Date(0), accepted: true, extraction: null, tables },
  }));
}

describe("reading rows", () => {
  it("serves other requests between files, however many readers there are", async () => {
    const files = createFiles(10);
    const reader = createRowReader({ read: () => Promise.resolve({ found: files, more: false }) });
    const read: number[] = [];
    const perTurn: number[] = [];
    const countTurn = (): void => {
      perTurn.push(read.splice(0).length);
      turn = setImmediate(countTurn);
    };
    let turn = setImmediate(countTurn);
    let rows = 0;
    const readAll = async (search: string): Promise<void> => {
      for await (const found of reader.files({ modelId: "mdl_1", table: "items", search }, undefined, 200)) {
        read.push(1);
        rows += found.rows.length;
      }
    };
    await Promise.all([readAll(""), readAll(""), readAll("nothing has this"), readAll("")]);
    clearImmediate(turn);
    expect(rows).toBe(3 * files.length * rowsPerFile);
    expect(Math.max(...perTurn)).toBe(1);
  });
});
