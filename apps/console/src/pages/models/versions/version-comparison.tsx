import { Group, Stack, Title } from "@mantine/core";
import type { ConfigurationVersion } from "@switchyard/client";
import { Problem } from "../../../api/problem.tsx";
import { useCall } from "../../../api/queries.ts";
import { useParameters } from "../../../controls/parameters.ts";
import { texts } from "../../../texts/index.ts";
import { VersionChoice } from "../deployments/version-choice.tsx";
import { ChangeList } from "../schema/change-list.tsx";

const words = texts.models.changes;

/** How two versions of a schema differ; the last two at the beginning. The choice is in the address. */
export function VersionComparison({
  modelId,
  versions,
}: {
  modelId: string;
  versions: readonly ConfigurationVersion[];
}) {
  const parameters = useParameters();
  const from = parameters.get("from") || versions[1]?.extractionSchemaId;
  const to = parameters.get("to") || versions[0]?.extractionSchemaId;
  const query = useCall("diffConfigurations", { deploymentId: modelId, from, to });
  return (
    <Stack>
      <Title order={2} size="h4">
        {words.title}
      </Title>
      <Group>
        <VersionChoice
          label={words.from}
          versions={versions}
          value={from}
          onChange={(id) => parameters.set({ from: id })}
        />
        <VersionChoice label={words.to} versions={versions} value={to} onChange={(id) => parameters.set({ to: id })} />
      </Group>
      <Problem error={query.error} retry={() => void query.refetch()} />
      {query.data !== undefined && !query.isPlaceholderData && (
        <ChangeList name={words.title} changes={query.data} none={words.none} />
      )}
    </Stack>
  );
}
