import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import { Problem } from "../../../api/problem.tsx";
import { useChange } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { texts } from "../../../texts/index.ts";
import { NameDialog } from "../name-dialog.tsx";
import { AffectedRoutes } from "./affected-routes.tsx";

const words = texts.models;

/** What can be done with a model or deployment. */
export interface TargetActionsProps {
  readonly target: { readonly id: string; readonly name: string; readonly status: "ACTIVE" | "PAUSED" };
  /** Why it cannot be deleted; undefined if it can. */
  readonly refusedRemoval?: string | undefined;
  readonly onRemoved?: () => void;
  /** What can be done besides. */
  readonly children?: ReactNode;
}

/** Pauses, resumes, renames and deletes a model or deployment. What a pause or deletion touches is shown before. */
export function TargetActions({ target, refusedRemoval, onRemoved, children }: TargetActionsProps) {
  const { id, name, status } = target;
  const [task, setTask] = useState<"pause" | "rename" | "remove" | undefined>(undefined);
  const close = (): void => setTask(undefined);
  const pause = useChange("pause");
  const resume = useChange("resume");
  const update = useChange("updateModelOrDeployment");
  const removal = useChange("deleteModelOrDeployment", onRemoved);
  const isPaused = status === "PAUSED";
  return (
    <Stack gap="xs">
      <Group gap={6}>
        {isPaused ? (
          <Action
            label={words.resume}
            name={words.resumeOf(name)}
            onClick={() => resume.mutate({ deploymentId: id })}
          />
        ) : (
          <Action label={words.pause} name={words.pauseOf(name)} onClick={() => setTask("pause")} />
        )}
        {children}
        <Action label={words.rename} name={words.renameOf(name)} onClick={() => setTask("rename")} />
        <Action label={words.remove} name={words.removeOf(name)} onClick={() => setTask("remove")} />
      </Group>
      <Problem error={resume.error} />
      <Dialog opened={task === "pause"} title={words.pauseOf(name)} onClose={close}>
        <Stack>
          <Text size="sm">{words.pauseHint}</Text>
          <AffectedRoutes targetId={id} />
          <DialogActions
            label={words.pause}
            change={pause}
            onClose={close}
            onConfirm={() => pause.mutate({ deploymentId: id }, { onSuccess: close })}
          />
        </Stack>
      </Dialog>
      <NameDialog
        opened={task === "rename"}
        title={words.renameOf(name)}
        name={name}
        label={texts.actions.save}
        change={update}
        onName={(changed) => update.mutate({ deploymentId: id, name: changed }, { onSuccess: close })}
        onClose={close}
      />
      <Dialog opened={task === "remove"} title={words.removeOf(name)} onClose={close}>
        <Stack>
          {refusedRemoval === undefined ? (
            <Text size="sm">{words.removeHint}</Text>
          ) : (
            <Text size="sm">{refusedRemoval}</Text>
          )}
          <AffectedRoutes targetId={id} isGone={removal.isPending || removal.isSuccess} />
          <DialogActions
            label={words.remove}
            change={removal}
            onClose={close}
            onConfirm={() => removal.mutate({ deploymentId: id }, { onSuccess: close })}
            isDisabled={refusedRemoval !== undefined}
            isDangerous
          />
        </Stack>
      </Dialog>
    </Stack>
  );
}

/** A small button whose accessible name says what it acts on. */
export function Action({ label, name, onClick }: { label: string; name: string; onClick: () => void }) {
  return (
    <Button size="compact-sm" variant="default" aria-label={name} onClick={onClick}>
      {label}
    </Button>
  );
}
