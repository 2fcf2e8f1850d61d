import { Alert, Anchor, Center, Group, Loader, Stack, Tabs, Text } from "@mantine/core";
import type { ClassifierDetail } from "@switchyard/client";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { Problem } from "../../api/problem.tsx";
import { firstRequests } from "../../api/first-requests.ts";
import { usePartAhead } from "../../api/prefetching.ts";
import { prefetchCall, useCall } from "../../api/queries.ts";
import { useParameters } from "../../controls/parameters.ts";
import { useQuestionBeforeLeaving } from "../../controls/unsaved.ts";
import { usePermissions } from "../../session/session.ts";
import { formatTime } from "../../format/times.ts";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import { Quality } from "./quality/quality.tsx";
import { Routes } from "./routes/routes.tsx";
import { ScopeBadge } from "./scope-badge.tsx";
import { Settings } from "./settings/settings.tsx";
import type { EnteredSettings } from "./settings/settings-form.tsx";

const words = texts.classifiers;

/** A classifier: its routes, its settings, and how well it decides. */
export function ClassifierPage({ projectId, classifierId }: { projectId: string; classifierId: string }) {
  const query = useCall(...firstRequests.classifier(classifierId));
  // Together with the classifier, and not after it.
  const isOfRoutes = (useParameters().get("tab") || "routes") === "routes";
  useCall(...firstRequests.routes(classifierId), { enabled: isOfRoutes });
  return (
    <Stack>
      <Anchor component={Link} href="/" size="sm">
        {words.all}
      </Anchor>
      {query.data === undefined && <PageTitle>{texts.pages.classifiers}</PageTitle>}
      {query.isPending && (
        <Center p="xl">
          <Loader aria-label={texts.table.loading} />
        </Center>
      )}
      <Problem error={query.error} retry={() => void query.refetch()} />
      {query.data !== undefined && <Parts projectId={projectId} classifier={query.data} />}
    </Stack>
  );
}

function Parts({ projectId, classifier }: { projectId: string; classifier: ClassifierDetail }) {
  const may = usePermissions();
  const ahead = usePartAhead();
  const [parameters, setParameters] = useSearchParams();
  // Outside of the tabs, so that looking at the routes loses nothing.
  const [entered, setEntered] = useState<EnteredSettings>({});
  useQuestionBeforeLeaving(Object.keys(entered).length > 0);
  const { isGlobal, name, candidateRoutes, deploymentRoutes, classificationCount, updatedAt } = classifier;
  const mayEdit = may(isGlobal ? "organization:models:edit" : "models:edit");
  const mayMeasure = may("benchmarks:read");
  const tab = parameters.get("tab") ?? "routes";
  const part = tab === "settings" || tab === "quality" ? words.tabs[tab] : undefined;
  return (
    <>
      <Group gap="sm">
        <PageTitle part={part}>{name}</PageTitle>
        <ScopeBadge isGlobal={isGlobal} />
      </Group>
      {classifier.description !== "" && <Text size="sm">{classifier.description}</Text>}
      <Text size="sm">
        {words.summary(candidateRoutes, deploymentRoutes.length)} · {words.classifications}: {classificationCount} ·{" "}
        {words.updated}: {formatTime(updatedAt)}
      </Text>
      {!mayEdit && (
        <Alert variant="default" role="note">
          {isGlobal ? words.readOnlyGlobal : words.readOnly}
        </Alert>
      )}
      <Tabs
        value={tab}
        onChange={(chosen) => setParameters(chosen === null || chosen === "routes" ? {} : { tab: chosen })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="routes">{words.tabs.routes}</Tabs.Tab>
          <Tabs.Tab value="settings" {...ahead([prefetchCall(...firstRequests.engines())])}>
            {words.tabs.settings}
          </Tabs.Tab>
          {mayMeasure && (
            <Tabs.Tab value="quality" {...ahead([prefetchCall(...firstRequests.quality(classifier.id, false))])}>
              {words.tabs.quality}
            </Tabs.Tab>
          )}
        </Tabs.List>
        <Tabs.Panel value="routes">
          <Routes projectId={projectId} classifier={classifier} mayEdit={mayEdit} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Settings {...{ projectId, classifier, mayEdit, entered }} onEntered={setEntered} />
        </Tabs.Panel>
        {mayMeasure && (
          <Tabs.Panel value="quality">
            <Quality projectId={projectId} classifier={classifier} mayEdit={mayEdit} />
          </Tabs.Panel>
        )}
      </Tabs>
    </>
  );
}
