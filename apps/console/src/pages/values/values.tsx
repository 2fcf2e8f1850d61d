import { Group, Stack } from "@mantine/core";
import type { Model } from "@switchyard/client";
import { Problem } from "../../api/problem.tsx";
import { firstRequests } from "../../api/first-requests.ts";
import { useCall } from "../../api/queries.ts";
import { useParameters } from "../../controls/parameters.ts";
import { usePermissions } from "../../session/session.ts";
import { EmptyState } from "../../table/empty-state.tsx";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import type { ProjectPageProps } from "../project-page.ts";
import { Downloads } from "./downloads.tsx";
import { ExtractAll } from "./extract-all.tsx";
import { toSelection } from "./filters.ts";
import { ValueFilters } from "./value-filters.tsx";
import { ValueTable } from "./value-table.tsx";

const text = texts.values;

/** The values of a model across documents. The model, the table and the filters are in the address. */
export function Values({ projectId }: ProjectPageProps) {
  const mayReadModels = usePermissions()("models:read");
  const parameters = useParameters();
  const models = useCall(...firstRequests.models(projectId), { enabled: mayReadModels });
  const withSchema = (models.data?.data ?? []).filter(({ extractionSchemaId }) => extractionSchemaId !== null);
  const modelId = parameters.get("model") || withSchema[0]?.id;
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{texts.pages.values}</PageTitle>
        {modelId !== undefined && <Actions modelId={modelId} model={withSchema.find(({ id }) => id === modelId)} />}
      </Group>
      <Problem error={models.error} retry={() => void models.refetch()} />
      {(models.isSuccess || !mayReadModels) && (
        <ValueFilters models={mayReadModels ? withSchema : undefined} modelId={modelId} />
      )}
      {models.isSuccess && modelId === undefined && (
        <EmptyState
          title={text.noModels}
          link={{ href: `~/console/projects/${projectId}/models`, label: text.toModels }}
        >
          {text.noModelsHint}
        </EmptyState>
      )}
      {modelId !== undefined && <ValueTable key={modelId} projectId={projectId} modelId={modelId} />}
    </Stack>
  );
}

function Actions({ modelId, model }: { modelId: string; model: Model | undefined }) {
  const parameters = useParameters();
  const may = usePermissions();
  const name = model?.name ?? modelId;
  return (
    <Group align="flex-start">
      {may("documents:write") && <ExtractAll key={modelId} modelId={modelId} modelName={name} />}
      <Downloads selection={toSelection(modelId, parameters)} name={name} />
    </Group>
  );
}
