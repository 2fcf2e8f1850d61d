import { create } from "@bufbuild/protobuf";
import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { MetricsSchema } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Metrics } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Metrics as Figures } from "../../domain/summary/metrics.ts";

/** Converts metrics to their message. Figures that are null are unset. */
export function toMetricsMessage(figures: Figures): Metrics {
  return toMessage(MetricsSchema, figures);
}

/** Creates a message from the properties of a value with the same names. Properties that are null are unset. */
export function toMessage<Schema extends DescMessage>(schema: Schema, value: object): MessageShape<Schema> {
  const source = value as Readonly<Record<string, unknown>>;
  const fields = schema.fields.flatMap((field): [string, unknown][] => {
    const given = source[field.localName] ?? undefined;
    if (given === undefined) return [];
    const name = field.localName;
    if (field.fieldKind === "message") return [[name, toMessage(field.message, given)]];
    if (field.fieldKind === "list" && field.listKind === "message") {
      return [[name, (given as object[]).map((element) => toMessage(field.message, element))]];
    }
    return [[name, given]];
  });
  const init: Record<string, unknown> = Object.fromEntries(fields);
  return create(schema, init as MessageInitShape<Schema>);
}
