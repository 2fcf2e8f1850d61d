import { Button, Code, Group, Stack, Text } from "@mantine/core";
import type { Project } from "@switchyard/client";
import { useState } from "react";
import { useCall, useChange } from "../../../api/queries.ts";
import { Confirmation } from "../../../dialog/confirmation.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { EmptyState } from "../../../table/empty-state.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { formatTime } from "../../../format/times.ts";
import { texts } from "../../../texts/index.ts";
import { useTeams } from "../directory.ts";
import { ProjectForm } from "./project-form.tsx";

const text = texts.administration;

/** What is open over the list. */
type Open =
  | { readonly kind: "create" }
  | { readonly kind: "edit"; readonly project: Project }
  | { readonly kind: "delete"; readonly project: Project };

/** The projects that the caller reaches, with the teams that they are granted to. */
export function Projects() {
  const projects = useCall("listProjects", {});
  const teams = useTeams();
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const close = (): void => setOpen(undefined);
  const teamsOf = ({ id }: Project): string =>
    (teams.data ?? [])
      .filter(({ projectIds }) => projectIds.includes(id))
      .map(({ name }) => name)
      .join(", ");
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm">{text.project.hint}</Text>
        <Button onClick={() => setOpen({ kind: "create" })}>{text.project.create}</Button>
      </Group>
      <DataTable
        name={text.projects}
        columns={columnsOf(teamsOf, setOpen)}
        rows={projects.data?.data ?? []}
        rowKey={({ id }) => id}
        query={projects}
        empty={<EmptyState title={text.project.empty}>{text.project.emptyHint}</EmptyState>}
      />
      {open?.kind === "create" && <ProjectForm project={undefined} onClose={close} />}
      {open?.kind === "edit" && <ProjectForm project={open.project} onClose={close} />}
      {open?.kind === "delete" && <Deletion project={open.project} onClose={close} />}
    </Stack>
  );
}

function columnsOf(teamsOf: (project: Project) => string, onOpen: (open: Open) => void): readonly Column<Project>[] {
  return [
    { title: text.name, value: ({ name }) => name },
    { title: text.id, value: ({ id }) => id, cell: ({ id }) => <Code>{id}</Code> },
    { title: text.teams, value: teamsOf },
    { title: text.created, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => formatTime(createdAt) },
    {
      title: text.actions,
      value: () => null,
      cell: (project) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={text.edit(project.name)}
            onClick={() => onOpen({ kind: "edit", project })}
          >
            {text.editShort}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={text.remove(project.name)}
            onClick={() => onOpen({ kind: "delete", project })}
          >
            {texts.actions.remove}
          </Button>
        </Group>
      ),
    },
  ];
}

function Deletion({ project, onClose }: { project: Project; onClose: () => void }) {
  const deletion = useChange("deleteProject");
  return (
    <Confirmation
      title={text.project.remove}
      message={text.project.removeMessage}
      action={texts.actions.remove}
      typed={project.name}
      change={deletion}
      onConfirm={() => deletion.mutate({ projectId: project.id }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
