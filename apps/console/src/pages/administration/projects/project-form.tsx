import { MultiSelect, Stack, TextInput } from "@mantine/core";
import type { Client, Project, Team } from "@switchyard/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { requestAgain } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { getFieldError } from "../../../dialog/fields.ts";
import { useSession } from "../../../session/session.ts";
import { texts } from "../../../texts/index.ts";
import { toChoices, useTeams } from "../directory.ts";
import { planGrants } from "./grants.ts";

const text = texts.administration;

/** Creates a project, or changes its name and the teams that it is granted to. */
export function ProjectForm({ project, onClose }: { project: Project | undefined; onClose: () => void }) {
  const teams = useTeams().data ?? [];
  const [name, setName] = useState(project?.name ?? "");
  const granted = teams.filter(({ projectIds }) => project !== undefined && projectIds.includes(project.id));
  const [chosen, setChosen] = useState<readonly string[] | undefined>(undefined);
  const teamIds = chosen ?? granted.map(({ id }) => id);
  const change = useProjectChange(project, onClose);
  return (
    <Dialog opened title={project === undefined ? text.project.create : text.project.edit} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // What was not chosen is not sent: the teams may not have arrived.
          change.mutate({ name, teamIds: chosen });
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
            label={text.project.teams}
            description={text.project.teamsHint}
            data={toChoices(teams, teamIds)}
            value={[...teamIds]}
            onChange={setChosen}
            searchable
            clearable
          />
          <DialogActions
            label={project === undefined ? texts.actions.create : texts.actions.save}
            change={change}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

interface Wanted {
  readonly name: string;
  /** The teams to grant it to; undefined if they stay as they are. */
  readonly teamIds: readonly string[] | undefined;
}

/** Sends what was changed: the project's name, and the projects of the teams that gain or lose it. */
function useProjectChange(project: Project | undefined, onSuccess: () => void) {
  const { client } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, teamIds }: Wanted) => {
      if (project === undefined) return client.createProject({ name, ...(teamIds?.length && { teamIds }) });
      if (name !== project.name) await client.updateProject({ projectId: project.id, name });
      if (teamIds === undefined) return undefined;
      // The teams as they are now, so that what others have changed meanwhile is kept.
      for (const { teamId, projectIds } of planGrants(await readTeams(client), project.id, teamIds))
        await client.updateTeam({ teamId, projectIds });
      return undefined;
    },
    onSuccess,
    onSettled: () => requestAgain(queries),
  });
}

async function readTeams(client: Client): Promise<Team[]> {
  const teams: Team[] = [];
  for await (const team of client.all("listTeams", { limit: 500 })) teams.push(team);
  return teams;
}
