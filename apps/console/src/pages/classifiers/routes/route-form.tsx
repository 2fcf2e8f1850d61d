import { Checkbox, NumberInput, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { ApiError } from "@switchyard/client";
import type { ClassifierDetail, RouteDetail } from "@switchyard/client";
import { useState } from "react";
import { useCall, useChange } from "../../../api/queries.ts";
import { DialogActions } from "../../../dialog/dialog.tsx";
import { getFieldError, toNumber } from "../../../dialog/fields.ts";
import { texts } from "../../../texts/index.ts";
import { ExamplesInput } from "./examples-input.tsx";
import { ProjectChoice, TargetChoice, TargetIds, anyProject } from "./target-choice.tsx";
import type { ChosenTarget } from "./target-choice.tsx";

const words = texts.classifiers.form;

/** What the form of a route needs. */
export interface RouteFormProps {
  /** The project of the page, whose models are offered first. */
  readonly projectId: string;
  readonly classifier: ClassifierDetail;
  /** The route to change; undefined to add one. */
  readonly edited: RouteDetail | undefined;
  readonly onClose: () => void;
}

/** Adds a route, or changes one. What the server would refuse is not offered, with the reason; what it refuses nevertheless is shown by field. */
export function RouteForm({ projectId, classifier, edited, onClose }: RouteFormProps) {
  const projects = useCall("listProjects", {}).data?.data ?? [];
  const [ofProject, setOfProject] = useState(edited?.deployment?.projectId ?? projectId);
  const [target, setTarget] = useState<ChosenTarget | undefined>(edited);
  const [values, setValues] = useState({
    name: edited?.name ?? "",
    description: edited?.description ?? "",
    examples: edited?.examples ?? [],
    minConfidence: edited?.minConfidence ?? null,
    enabled: edited?.enabled ?? true,
  });
  const set = (changed: Partial<typeof values>): void => setValues((previous) => ({ ...previous, ...changed }));
  const add = useChange("addRoute");
  const update = useChange("updateRoute");
  const change = edited === undefined ? add : update;
  const { error } = change;
  const isReached = projects.some(({ id }) => id === ofProject);

  const submit = (): void => {
    if (target === undefined) return;
    const { deploymentId, targetDeploymentId } = target;
    const body = { classifierId: classifier.id, ...values, targetDeploymentId };
    if (edited === undefined) add.mutate({ ...body, deploymentId }, { onSuccess: onClose });
    // The examples of a route into a project out of reach are not shown, so they are not sent back.
    else
      update.mutate(
        { ...body, routeId: edited.id, examples: isReached ? values.examples : undefined },
        { onSuccess: onClose },
      );
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <Text size="sm">{classifier.isGlobal ? words.globalScoped : words.projectScoped}</Text>
        {edited === undefined && (
          <ProjectChoice
            classifier={classifier}
            projects={projects}
            value={ofProject}
            onChange={(id) => {
              setOfProject(id);
              setTarget(undefined);
            }}
          />
        )}
        {ofProject === anyProject ? (
          <TargetIds
            value={target}
            onChange={setTarget}
            errors={{
              model: getModelError(error),
              deployment: getFieldError(error, "targetDeploymentId"),
            }}
          />
        ) : edited === undefined || isReached ? (
          <TargetChoice
            classifier={classifier}
            projectId={ofProject}
            projects={projects}
            edited={edited}
            value={target}
            onChange={setTarget}
            error={getModelError(error) ?? getFieldError(error, "targetDeploymentId")}
          />
        ) : (
          <Text size="sm">{words.fixedTarget}</Text>
        )}
        <TextInput
          label={words.name}
          description={words.nameHint}
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={getFieldError(error, "name")}
          maxLength={120}
        />
        <Textarea
          label={words.description}
          description={words.descriptionHint}
          value={values.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={getFieldError(error, "description")}
          maxLength={2000}
          autosize
          minRows={2}
          maxRows={8}
        />
        {(edited === undefined || isReached) && (
          <ExamplesInput
            value={values.examples}
            onChange={(examples) => set({ examples })}
            error={getFieldError(error, "examples")}
          />
        )}
        <NumberInput
          label={texts.classifiers.minConfidence}
          description={words.minConfidenceHint}
          value={values.minConfidence ?? ""}
          onChange={(value) => set({ minConfidence: toNumber(value) })}
          error={getFieldError(error, "minConfidence")}
          min={0}
          max={1}
          step={0.05}
        />
        <Checkbox
          label={words.enabled}
          checked={values.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        <DialogActions
          label={edited === undefined ? texts.classifiers.addRoute : texts.actions.save}
          change={change}
          onClose={onClose}
          isDisabled={target === undefined || target.deploymentId === ""}
        />
      </Stack>
    </form>
  );
}

/** Returns why the server refused the model of the route: by its field, or because of the target or its project. */
function getModelError(error: unknown): string | undefined {
  const byField = getFieldError(error, "deploymentId");
  if (byField !== undefined || !(error instanceof ApiError)) return byField;
  const ofTarget = ["ROUTE_EXISTS", "PROJECT_OUT_OF_REACH", "MODEL_NOT_FOUND"];
  return ofTarget.includes(error.code) ? error.problem.detail : undefined;
}
