import { MultiSelect, Stack, TextInput } from "@mantine/core";
import type { Team } from "@switchyard/client";
import { useState } from "react";
import { useChange } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { getFieldError } from "../../../dialog/fields.ts";
import { texts } from "../../../texts/index.ts";
import { toChoices } from "../directory.ts";
import type { Directory } from "../directory.ts";

const text = texts.administration;

/** What the form needs. `team` is undefined for a new one. */
export interface TeamFormProps {
  readonly team: Team | undefined;
  readonly directory: Directory;
  readonly onClose: () => void;
}

/** Creates a team, or changes its name, projects and users. */
export function TeamForm({ team, directory, onClose }: TeamFormProps) {
  const [name, setName] = useState(team?.name ?? "");
  const [chosenProjects, setProjectIds] = useState<readonly string[] | undefined>(undefined);
  const [chosenUsers, setUserIds] = useState<readonly string[] | undefined>(undefined);
  const projectIds = chosenProjects ?? team?.projectIds ?? [];
  const userIds = chosenUsers ?? team?.userIds ?? [];
  const creation = useChange("createTeam");
  const update = useChange("updateTeam");
  const change = team === undefined ? creation : update;
  const submit = (): void => {
    // Of a team that exists, only what was changed is sent, so that what others have changed meanwhile is kept.
    if (team === undefined) creation.mutate({ name, projectIds, userIds }, { onSuccess: onClose });
    else
      update.mutate(
        { teamId: team.id, name, projectIds: chosenProjects, userIds: chosenUsers },
        { onSuccess: onClose },
      );
  };
  return (
    <Dialog opened title={team === undefined ? text.team.create : text.team.edit} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <TextInput
            label={text.name}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={getFieldError(change.error, "name")}
            maxLength={120}
            required
            data-autofocus
          />
          <MultiSelect
            label={text.team.projects}
            data={toChoices(directory.projects, projectIds)}
            value={[...projectIds]}
            onChange={setProjectIds}
            searchable
            clearable
          />
          <MultiSelect
            label={text.team.users}
            data={toChoices(directory.users, userIds)}
            value={[...userIds]}
            onChange={setUserIds}
            searchable
            clearable
          />
          <DialogActions
            label={team === undefined ? texts.actions.create : texts.actions.save}
            change={change}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
