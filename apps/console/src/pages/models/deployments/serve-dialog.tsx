import { Stack, Text } from "@mantine/core";
import type { ConfigurationVersion, ModelDeployment } from "@switchyard/client";
import { useState } from "react";
import { Problem } from "../../../api/problem.tsx";
import { useCall, useChange } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { texts } from "../../../texts/index.ts";
import { ChangeList } from "../schema/change-list.tsx";
import { VersionChoice } from "./version-choice.tsx";

const words = texts.models.deployment;

/** What the promotion of a deployment needs. */
export interface ServeDialogProps {
  /** The deployment; undefined while the dialog is closed. */
  readonly deployment: ModelDeployment | undefined;
  readonly versions: readonly ConfigurationVersion[];
  readonly onClose: () => void;
}

/** Promotes a deployment to a later version of the schema, or rolls it back to an earlier one. What differs is shown before. */
export function ServeDialog({ deployment, versions, onClose }: ServeDialogProps) {
  return (
    <Dialog
      opened={deployment !== undefined}
      title={deployment === undefined ? "" : texts.models.serveOf(deployment.name)}
      onClose={onClose}
      size="xl"
    >
      {deployment !== undefined && <Choice deployment={deployment} versions={versions} onClose={onClose} />}
    </Dialog>
  );
}

function Choice({
  deployment,
  versions,
  onClose,
}: {
  deployment: ModelDeployment;
  versions: readonly ConfigurationVersion[];
  onClose: () => void;
}) {
  const served = deployment.extractionSchemaId;
  const current = versions.find(({ isCurrent }) => isCurrent)?.extractionSchemaId;
  const before = versions.find(({ extractionSchemaId }) => extractionSchemaId === served)?.version ?? 0;
  // The versions may arrive after the dialog was opened, so the suggestion is not kept as a choice.
  const [choice, setChoice] = useState<string>();
  const chosen = choice ?? current ?? served;
  const after = versions.find(({ extractionSchemaId }) => extractionSchemaId === chosen)?.version ?? 0;
  const isSame = chosen === served;
  const difference = useCall(
    "diffConfigurations",
    { deploymentId: deployment.id, from: served, to: chosen },
    { enabled: !isSame },
  );
  const change = useChange("updateModelOrDeployment");
  return (
    <Stack>
      <VersionChoice label={words.version} versions={versions} value={chosen} onChange={setChoice} />
      <Problem error={difference.error} retry={() => void difference.refetch()} />
      {isSame ? (
        <Text size="sm">{words.same}</Text>
      ) : (
        // While the next difference is under way, the previous one would mislead.
        difference.data !== undefined &&
        !difference.isPlaceholderData && (
          <>
            <Text size="sm" fw={600}>
              {words.difference}
            </Text>
            <ChangeList name={words.difference} changes={difference.data} none={texts.models.changes.none} />
          </>
        )
      )}
      <DialogActions
        label={after >= before ? words.promote(after) : words.rollBack(after)}
        change={change}
        onClose={onClose}
        onConfirm={() =>
          change.mutate({ deploymentId: deployment.id, extractionSchemaId: chosen }, { onSuccess: onClose })
        }
        // Nobody confirms what is not shown yet, and the button does not move from under the pointer.
        isDisabled={isSame || difference.isPending || difference.isPlaceholderData}
      />
    </Stack>
  );
}
