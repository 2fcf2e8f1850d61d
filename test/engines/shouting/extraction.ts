import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ExtractedRowSchema, ExtractedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ExtractionEngine } from "@switchyard/extraction/domain/engines/engine";

/** An engine that gives the first line of a document in capitals as the first text of each table. */
export const shouting: ExtractionEngine<undefined> = {
  version: "shouting-1",
  prepare: () => [],
  extract({ text, configuration }) {
    const value = (text.pages[0]?.lines[0]?.text ?? "").toUpperCase();
    return configuration.tables.map(({ id, slug, isPrimary }) => {
      const values = Object.fromEntries(
        configuration.columns
          .filter(({ tableId }) => tableId === id)
          .map((column, index) => [
            column.slug,
            create(ValueSchema, {
              kind: index === 0 ? { case: "stringValue", value } : { case: "nullValue", value: 0 },
            }),
          ]),
      );
      const rows = isPrimary ? [create(ExtractedRowSchema, { values })] : [];
      return create(ExtractedTableSchema, { slug, rows });
    });
  },
};
