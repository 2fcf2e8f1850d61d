import { Button, Group, Stack } from "@mantine/core";
import type { Team } from "@switchyard/client";
import { useState } from "react";
import { useChange } from "../../../api/queries.ts";
import { Confirmation } from "../../../dialog/confirmation.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { EmptyState } from "../../../table/empty-state.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { formatTime } from "../../../format/times.ts";
import { texts } from "../../../texts/index.ts";
import { useDirectory, useTeams } from "../directory.ts";
import type { Directory } from "../directory.ts";
import { TeamForm } from "./team-form.tsx";

const text = texts.administration;

/** What is open over the list. */
type Open =
  | { readonly kind: "create" }
  | { readonly kind: "edit"; readonly team: Team }
  | { readonly kind: "delete"; readonly team: Team };

/** The teams of the organization, with the projects that they grant and their users. */
export function Teams() {
  const teams = useTeams();
  const directory = useDirectory();
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const close = (): void => setOpen(undefined);
  return (
    <Stack>
      <Group justify="flex-end">
        <Button onClick={() => setOpen({ kind: "create" })}>{text.team.create}</Button>
      </Group>
      <DataTable
        name={text.teams}
        columns={columnsOf(directory, setOpen)}
        rows={teams.data ?? []}
        rowKey={({ id }) => id}
        query={teams}
        empty={<EmptyState title={text.team.empty}>{text.team.emptyHint}</EmptyState>}
      />
      {open?.kind === "create" && <TeamForm team={undefined} directory={directory} onClose={close} />}
      {open?.kind === "edit" && <TeamForm team={open.team} directory={directory} onClose={close} />}
      {open?.kind === "delete" && <Deletion team={open.team} onClose={close} />}
    </Stack>
  );
}

function columnsOf({ nameOf }: Directory, onOpen: (open: Open) => void): readonly Column<Team>[] {
  return [
    { title: text.name, value: ({ name }) => name },
    { title: text.team.projects, value: ({ projectIds }) => projectIds.map(nameOf).join(", ") },
    { title: text.team.users, value: ({ userIds }) => userIds.map(nameOf).join(", ") },
    { title: text.created, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => formatTime(createdAt) },
    {
      title: text.actions,
      value: () => null,
      cell: (team) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={text.edit(team.name)}
            onClick={() => onOpen({ kind: "edit", team })}
          >
            {text.editShort}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={text.remove(team.name)}
            onClick={() => onOpen({ kind: "delete", team })}
          >
            {texts.actions.remove}
          </Button>
        </Group>
      ),
    },
  ];
}

function Deletion({ team, onClose }: { team: Team; onClose: () => void }) {
  const deletion = useChange("deleteTeam");
  return (
    <Confirmation
      title={text.team.remove}
      message={text.team.removeMessage(team.name)}
      action={texts.actions.remove}
      change={deletion}
      onConfirm={() => deletion.mutate({ teamId: team.id }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
