import { Alert, Anchor, Center, Loader, Stack, Tabs, Text } from "@mantine/core";
import type { Configuration, Model } from "@switchyard/client";
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { Problem } from "../../api/problem.tsx";
import { firstRequests } from "../../api/first-requests.ts";
import { usePartAhead } from "../../api/prefetching.ts";
import { prefetchItems, useCall } from "../../api/queries.ts";
import { useQuestionBeforeLeaving } from "../../controls/unsaved.ts";
import { usePermissions } from "../../session/session.ts";
import { useParameters } from "../../controls/parameters.ts";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import { Deployments } from "./deployments/deployments.tsx";
import { TargetActions } from "./deployments/target-actions.tsx";
import { Schema } from "./schema/schema.tsx";
import type { EditedDraft } from "./schema/draft.ts";
import { Versions } from "./versions/versions.tsx";

const words = texts.models;

/** A model: its schema, the versions of it, and the deployments that serve them. */
export function ModelPage({ projectId, modelId }: { projectId: string; modelId: string }) {
  const models = useCall(...firstRequests.models(projectId));
  const configuration = useCall(...firstRequests.configuration(modelId));
  const model = models.data?.data.find(({ id }) => id === modelId);
  const isPending = models.isPending || (configuration.isPending && model !== undefined);
  const tab = useParameters().get("tab");
  const part = tab === "versions" || tab === "deployments" ? words.tabs[tab] : undefined;
  const isMissing = models.data !== undefined && model === undefined;
  return (
    <Stack>
      <Anchor component={Link} href="/" size="sm">
        {words.all}
      </Anchor>
      <PageTitle part={part}>{model?.name ?? texts.pages.models}</PageTitle>
      {isPending && (
        <Center p="xl">
          <Loader aria-label={texts.table.loading} />
        </Center>
      )}
      <Problem error={models.error} retry={() => void models.refetch()} />
      {isMissing ? (
        <Text>{words.missing}</Text>
      ) : (
        <Problem error={configuration.error} retry={() => void configuration.refetch()} />
      )}
      {model !== undefined && configuration.data !== undefined && (
        <Parts projectId={projectId} model={model} configuration={configuration.data} />
      )}
    </Stack>
  );
}

function Parts({ projectId, model, configuration }: { projectId: string; model: Model; configuration: Configuration }) {
  const mayEdit = usePermissions()("models:edit");
  const ahead = usePartAhead();
  const [, navigate] = useLocation();
  const [parameters, setParameters] = useSearchParams();
  // Outside of the tabs, so that looking at the versions loses no draft.
  const [edited, setEdited] = useState<EditedDraft | undefined>(undefined);
  const forget = useQuestionBeforeLeaving(edited !== undefined);
  const { name, status, deployments } = model;
  return (
    <>
      <Text size="sm">
        {status === "PAUSED" ? words.paused : words.active} ·{" "}
        {configuration.version === 0 ? words.noSchema : words.version(configuration.version)} · {words.deployments}:{" "}
        {deployments.length}
      </Text>
      {mayEdit ? (
        <TargetActions
          target={model}
          refusedRemoval={deployments.length > 0 ? words.hasDeployments : undefined}
          onRemoved={() => {
            forget();
            navigate("/");
          }}
        />
      ) : (
        <Alert variant="default" role="note">
          {words.readOnly}
        </Alert>
      )}
      <Tabs
        value={parameters.get("tab") ?? "schema"}
        onChange={(tab) => setParameters(tab === null || tab === "schema" ? {} : { tab })}
        keepMounted={false}
      >
        <Tabs.List mb="md" aria-label={name}>
          <Tabs.Tab value="schema">{words.tabs.schema}</Tabs.Tab>
          <Tabs.Tab value="versions" {...ahead([prefetchItems(...firstRequests.versions(model.id))])}>
            {words.tabs.versions}
          </Tabs.Tab>
          <Tabs.Tab value="deployments">{words.tabs.deployments}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="schema">
          <Schema
            model={model}
            configuration={configuration}
            edited={mayEdit ? edited : undefined}
            onEdit={mayEdit ? setEdited : undefined}
          />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <Versions projectId={projectId} model={model} mayEdit={mayEdit} />
        </Tabs.Panel>
        <Tabs.Panel value="deployments">
          <Deployments model={model} mayEdit={mayEdit} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
