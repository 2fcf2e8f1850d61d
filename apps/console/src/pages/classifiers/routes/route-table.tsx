import { Anchor, Button, Group, Text } from "@mantine/core";
import { Link } from "wouter";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column, DataTableProps } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import type { RouteFacts } from "./route-facts.ts";

const words = texts.classifiers;

/** What the table of routes shows. */
export interface RouteTableProps {
  readonly facts: readonly RouteFacts[];
  readonly query: NonNullable<DataTableProps<RouteFacts>["query"]>;
  /** What can be done with a route; undefined if the caller may change nothing. */
  readonly actions:
    | {
        readonly onEdit: (facts: RouteFacts) => void;
        readonly onSwitch: (facts: RouteFacts) => void;
        readonly onDelete: (facts: RouteFacts) => void;
      }
    | undefined;
}

/** The routes of a classifier, with the facts of the diagram. */
export function RouteTable({ facts, query, actions }: RouteTableProps) {
  const columns = actions === undefined ? shown : [...shown, createActions(actions)];
  return (
    <DataTable
      name={words.routes}
      columns={columns}
      rows={facts}
      rowKey={({ route }) => route.id}
      query={query}
      empty={<Text>{words.noRoutes}</Text>}
    />
  );
}

const shown: readonly Column<RouteFacts>[] = [
  {
    title: words.route,
    value: ({ route }) => route.name,
    cell: ({ route }) => (
      <>
        <Text size="sm" fw={600}>
          {route.name}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={2}>
          {route.description}
        </Text>
      </>
    ),
  },
  {
    title: words.target,
    value: nameTarget,
    cell: (facts) => (
      <Anchor
        component={Link}
        href={`~/console/projects/${facts.route.deployment?.projectId}/models/${facts.route.deploymentId}`}
        inherit
      >
        {nameTarget(facts)}
      </Anchor>
    ),
  },
  { title: words.project, value: ({ route }) => route.deployment?.project?.name ?? null },
  {
    title: words.status,
    value: describeStatus,
    cell: (facts) =>
      facts.reason === undefined ? (
        words.candidate
      ) : (
        <Text size="sm" c="dimmed" fs="italic">
          {describeStatus(facts)}
        </Text>
      ),
  },
  { title: words.wins, value: ({ wins }) => wins, align: "right" },
  {
    title: words.minConfidence,
    value: ({ detail }) => detail?.minConfidence ?? null,
    cell: ({ detail }) => detail?.minConfidence ?? words.ofClassifier,
    align: "right",
  },
];

function createActions({ onEdit, onSwitch, onDelete }: NonNullable<RouteTableProps["actions"]>): Column<RouteFacts> {
  return {
    title: words.actions,
    value: () => null,
    cell: (facts) => {
      const { name } = facts.route;
      const isEnabled = facts.detail?.enabled !== false;
      return (
        <Group gap={4} wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={words.editRouteOf(name)}
            disabled={facts.detail === undefined}
            onClick={() => onEdit(facts)}
          >
            {words.editRoute}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={isEnabled ? words.disableOf(name) : words.enableOf(name)}
            disabled={facts.detail === undefined}
            onClick={() => onSwitch(facts)}
          >
            {isEnabled ? words.disable : words.enable}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={words.deleteRoute(name)}
            onClick={() => onDelete(facts)}
          >
            {texts.actions.remove}
          </Button>
        </Group>
      );
    },
  };
}

function nameTarget({ route }: RouteFacts): string {
  const model = route.deployment?.name ?? route.deploymentId;
  if (route.targetDeploymentId === null) return model;
  return words.deployment(route.targetDeployment?.name ?? route.targetDeploymentId, model);
}

function describeStatus({ reason }: RouteFacts): string {
  return reason === undefined ? words.candidate : words.out(words.reasons[reason]);
}
