import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ExtractedRowSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { ExportFormat } from "@switchyard/contracts/switchyard/extraction/v1/values";
import type { PlacedValues } from "../../store/values/current-values.ts";
import { getFormat } from "./export.ts";

const file: PlacedValues = {
  ...{ fileId: "fil_1", modelId: "mdl_1", projectId: "prj_1", filename: "a.txt", position: "1" },
  ...{ fileCreatedAt: new Date(0), accepted: true, extraction: null, tables: Buffer.alloc(0) },
};

describe("JSON lines", () => {
  it("have null for a value that was accepted without any kind, which earlier versions stored", async () => {
    const row = create(ExtractedRowSchema, {
      values: { number: { kind: { case: "stringValue", value: "A-1" } }, total: create(ValueSchema) },
    });
    const rows = (async function* () {
      yield await Promise.resolve({ file, number: 0, row });
    })();
    const pieces: Uint8Array[] = [];
    for await (const piece of getFormat(ExportFormat.JSONL).write({
      table: "invoice",
      columns: ["number", "total"],
      rows,
    }))
      pieces.push(piece);
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({ values: { number: "A-1", total: null } });
  });
});
