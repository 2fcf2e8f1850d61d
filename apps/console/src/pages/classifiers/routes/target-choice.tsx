import { Radio, ScrollArea, Select, Stack, Text, TextInput } from "@mantine/core";
import type { ClassifierDetail, Project } from "@switchyard/client";
import { useState } from "react";
import { Problem } from "../../../api/problem.tsx";
import { firstRequests } from "../../../api/first-requests.ts";
import { useCall } from "../../../api/queries.ts";
import { toScrolling } from "../../../controls/scrolling.ts";
import { texts } from "../../../texts/index.ts";
import { createKey, listTargets } from "./targets.ts";
import type { Target } from "./targets.ts";

const words = texts.classifiers.form;
/** The number of targets that are drawn; a search shows the others. */
const maxDrawn = 60;

/** The target of a route as it is chosen. */
export interface ChosenTarget {
  readonly deploymentId: string;
  readonly targetDeploymentId: string | null;
}

/** What the choice of a target needs. */
export interface TargetChoiceProps {
  readonly classifier: ClassifierDetail;
  /** The project whose models are offered. */
  readonly projectId: string;
  readonly projects: readonly Project[];
  /** The route that is edited: only its model and the deployments of it are offered. */
  readonly edited: { readonly id: string; readonly deploymentId: string } | undefined;
  readonly value: ChosenTarget | undefined;
  readonly onChange: (target: ChosenTarget) => void;
  /** Why the server refused the target. */
  readonly error: string | undefined;
}

/** Offers the models of a project and their deployments. Those that the server would refuse are disabled, with the reason. */
export function TargetChoice({ classifier, projectId, projects, edited, value, onChange, error }: TargetChoiceProps) {
  const models = useCall(...firstRequests.models(projectId));
  const [search, setSearch] = useState("");
  const offered = (models.data?.data ?? []).filter(
    (model) => model.projectId === projectId && (edited === undefined || model.id === edited.deploymentId),
  );
  const targets = listTargets(offered, classifier, edited?.id);
  const sought = search.trim().toLowerCase();
  const found = targets.filter((target) => nameTarget(target).toLowerCase().includes(sought));
  const project = projects.find(({ id }) => id === projectId)?.name ?? projectId;
  return (
    <Stack gap="xs">
      <Problem error={models.error} retry={() => void models.refetch()} />
      {targets.length > 8 && (
        <TextInput
          label={words.targetSearch}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <Radio.Group
        label={words.targets}
        description={words.targetsHint}
        value={value === undefined ? "" : createKey(value.deploymentId, value.targetDeploymentId)}
        onChange={(key) => {
          const chosen = targets.find((target) => target.key === key);
          if (chosen !== undefined) onChange(chosen);
        }}
        error={error}
        required
      >
        <ScrollArea.Autosize mah={260} mt="xs" viewportProps={toScrolling(words.targets)}>
          <Stack gap={6}>
            {found.slice(0, maxDrawn).map((target) => (
              <Radio
                key={target.key}
                value={target.key}
                label={nameTarget(target)}
                description={describe(target, project)}
                disabled={target.refusal !== undefined}
              />
            ))}
          </Stack>
        </ScrollArea.Autosize>
        {found.length > maxDrawn && <Text size="sm">{words.moreTargets(found.length - maxDrawn)}</Text>}
        {models.data !== undefined && !models.isPlaceholderData && found.length === 0 && (
          <Text size="sm">{words.noTargets}</Text>
        )}
      </Radio.Group>
    </Stack>
  );
}

/** The value of the choice of a project for a model that is named by its ID. */
export const anyProject = "*";

/** Offers the projects that the caller reaches, and any model by its ID. Those that the classifier reaches besides are disabled, with the reason. */
export function ProjectChoice({
  classifier,
  projects,
  value,
  onChange,
}: {
  classifier: Pick<ClassifierDetail, "routeProjects">;
  projects: readonly Project[];
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Select
      label={words.targetProject}
      data={[
        ...projects.map(({ id, name }) => ({ value: id, label: name })),
        ...classifier.routeProjects
          .filter((each) => !projects.some(({ id }) => id === each.id))
          .map(({ id, name }) => ({
            value: id,
            label: texts.classifiers.refusals.outOfReach(name),
            disabled: true,
          })),
        { value: anyProject, label: words.byId },
      ]}
      value={value}
      onChange={(id) => id !== null && onChange(id)}
      allowDeselect={false}
      searchable
    />
  );
}

/** Takes the ID of a model, and that of a deployment of it. */
export function TargetIds({
  value,
  onChange,
  errors,
}: {
  value: ChosenTarget | undefined;
  onChange: (target: ChosenTarget) => void;
  errors: { readonly model: string | undefined; readonly deployment: string | undefined };
}) {
  const { deploymentId = "", targetDeploymentId = null } = value ?? {};
  return (
    <Stack gap="xs">
      <TextInput
        label={words.modelId}
        description={words.modelIdHint}
        value={deploymentId}
        onChange={(event) => onChange({ deploymentId: event.currentTarget.value.trim(), targetDeploymentId })}
        error={errors.model}
        required
      />
      <TextInput
        label={words.targetDeploymentId}
        description={words.targetDeploymentIdHint}
        value={targetDeploymentId ?? ""}
        onChange={(event) => {
          const id = event.currentTarget.value.trim();
          onChange({ deploymentId, targetDeploymentId: id === "" ? null : id });
        }}
        error={errors.deployment}
      />
    </Stack>
  );
}

function nameTarget({ modelName, deploymentName }: Target): string {
  return deploymentName === undefined ? words.modelItself(modelName) : words.deploymentOf(deploymentName, modelName);
}

function describe({ refusal, isPaused }: Target, project: string): string | undefined {
  const { refusals } = texts.classifiers;
  switch (refusal?.code) {
    case "MODEL_OF_ANOTHER_PROJECT":
      return refusals.otherProject(project);
    case "MODEL_HAS_NO_SCHEMA":
      return refusals.noSchema;
    case "ROUTE_EXISTS":
      return refusals.exists(refusal.routeName);
    default:
      return isPaused ? words.paused : undefined;
  }
}
