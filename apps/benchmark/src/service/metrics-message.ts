import { create } from "@bufbuild/protobuf";
import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { MetricsSchema } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Metrics } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Metrics as Figures } from "../domain/metrics.ts";

/** The message of metrics. A figure that nothing supports is unset. */
export function metricsMessage(figures: Figures): Metrics {
  return messageOf(MetricsSchema, figures);
}

/** The message with the fields that it shares with a value, by name; what is null there is unset. */
function messageOf<Schema extends DescMessage>(schema: Schema, value: object): MessageShape<Schema> {
  const source = value as Readonly<Record<string, unknown>>;
  const fields = schema.fields.flatMap((field) => {
    const given = source[field.localName] ?? undefined;
    if (given === undefined) return [];
    if (field.fieldKind === "message") return [[field.localName, messageOf(field.message, given as object)]];
    if (field.fieldKind === "list" && field.listKind === "message") {
      return [[field.localName, (given as object[]).map((element) => messageOf(field.message, element))]];
    }
    return [[field.localName, given]];
  });
  return create(schema, Object.fromEntries(fields) as MessageInitShape<Schema>);
}
