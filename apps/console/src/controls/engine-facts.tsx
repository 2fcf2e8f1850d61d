import { Text } from "@mantine/core";
import type { Classification, Extraction } from "@switchyard/client";
import { formatCount } from "../format/figures.ts";
import { texts } from "../texts/index.ts";
import { nameEngine } from "./engine-options.ts";

/** Which engine decided about a document or read it, what another one said, and what that took. */
export function EngineFacts({ engine, usage }: Pick<Classification | Extraction, "engine" | "usage">) {
  const lines = [];
  if (engine !== null) {
    const { name, modelName, version, learnedFrom } = engine;
    lines.push(texts.engines.by(nameEngine({ engine: name, modelName }), version, learnedFrom));
    if ("secondOpinion" in engine && engine.secondOpinion !== null) {
      const { name: second, modelName: model, outcome } = engine.secondOpinion;
      lines.push(
        texts.engines.second(nameEngine({ engine: second, modelName: model }), texts.engines.outcomes[outcome]),
      );
    }
  }
  if (usage !== null) {
    const { inputTokens, outputTokens, cost } = usage;
    lines.push(texts.engines.usage(formatCount(inputTokens), formatCount(outputTokens)));
    if (cost !== null) lines.push(texts.engines.cost(cost.toFixed(4)));
  }
  return lines.map((line) => (
    <Text key={line} size="sm">
      {line}
    </Text>
  ));
}
