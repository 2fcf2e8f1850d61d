import { create } from "@bufbuild/protobuf";
import { RiskSchema, RiskSource } from "@switchyard/contracts/switchyard/benchmark/v1/risk";
import type { Risk as RiskMessage } from "@switchyard/contracts/switchyard/benchmark/v1/risk";
import type { Promised, Risk } from "../../domain/risk/risk.ts";
import type { Unseen } from "../../domain/risk/thresholds.ts";

const sources = { TEXT: RiskSource.TEXT, OCR: RiskSource.OCR } as const;

/** Converts what may go unseen to its message. */
export function toRiskMessage({ values, byColumn, bySource, ...risk }: Risk, promised: Promised): RiskMessage {
  return create(RiskSchema, {
    ...promised,
    ...toFields(risk),
    values,
    byColumn: byColumn.map(({ column, ...unseen }) => ({
      columnId: column.id,
      slug: column.slug,
      ...(column.sharedId === undefined ? {} : { sharedId: column.sharedId }),
      ...toFields(unseen),
    })),
    bySource: bySource.map(({ source, ...unseen }) => ({ source: sources[source], ...toFields(unseen) })),
  });
}

function toFields({ threshold, coverage, filesUsed, filesNeeded }: Unseen) {
  return {
    possible: threshold !== null,
    coverage,
    filesUsed,
    ...(threshold === null ? {} : { threshold }),
    ...(filesNeeded === null ? {} : { filesNeeded }),
  };
}
