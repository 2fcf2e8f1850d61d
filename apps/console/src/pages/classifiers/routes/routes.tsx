import { Alert, Button, Group, Loader, Stack, Text } from "@mantine/core";
import type { ClassifierDetail } from "@switchyard/client";
import { Suspense, useMemo, useState } from "react";
import { Problem } from "../../../api/problem.tsx";
import { firstRequests } from "../../../api/first-requests.ts";
import { useCall, useChange } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { texts } from "../../../texts/index.ts";
import { FailureBoundary } from "../../failure-boundary.tsx";
import { diagram } from "./deferred-diagram.ts";
import { RouteForm } from "./route-form.tsx";
import { listRouteFacts } from "./route-facts.ts";
import type { RouteFacts } from "./route-facts.ts";
import { RouteTable } from "./route-table.tsx";

const words = texts.classifiers;
const maxRoutes = 200;

/** What the routes of a classifier need. */
export interface RoutesProps {
  readonly projectId: string;
  readonly classifier: ClassifierDetail;
  readonly mayEdit: boolean;
}

type Task = { readonly kind: "add" } | { readonly kind: "edit" | "delete"; readonly facts: RouteFacts };

/** The routes of a classifier: where they lead, how often each won, and what can be done with them. */
export function Routes({ projectId, classifier, mayEdit }: RoutesProps) {
  const query = useCall(...firstRequests.routes(classifier.id));
  const facts = useMemo(() => listRouteFacts(classifier, query.data?.data ?? []), [classifier, query.data]);
  const [task, setTask] = useState<Task | undefined>(undefined);
  const update = useChange("updateRoute");
  const close = (): void => setTask(undefined);
  const isFull = facts.length >= maxRoutes;
  return (
    <Stack>
      {facts.length > 0 && classifier.candidateRoutes === 0 && (
        <Alert color="yellow" role="status">
          {words.noneActive}
        </Alert>
      )}
      {facts.length > 0 && (
        <FailureBoundary place={classifier.id}>
          <Suspense fallback={<Loader aria-label={texts.table.loading} />}>
            <diagram.Shown classifier={classifier} facts={facts} />
          </Suspense>
        </FailureBoundary>
      )}
      {mayEdit && (
        <Group>
          <Button onClick={() => setTask({ kind: "add" })} disabled={isFull}>
            {words.addRoute}
          </Button>
          {isFull && <Text size="sm">{words.tooManyRoutes}</Text>}
        </Group>
      )}
      <Problem error={update.error} />
      <RouteTable
        facts={facts}
        query={query}
        actions={
          mayEdit
            ? {
                onEdit: (edited) => setTask({ kind: "edit", facts: edited }),
                onSwitch: ({ route, detail }) =>
                  update.mutate({
                    classifierId: classifier.id,
                    routeId: route.id,
                    enabled: detail?.enabled === false,
                  }),
                onDelete: (deleted) => setTask({ kind: "delete", facts: deleted }),
              }
            : undefined
        }
      />
      <Text size="xs" c="dimmed">
        {words.winsHint}
      </Text>
      <Dialog opened={task?.kind === "add"} title={words.addRoute} onClose={close} size="xl">
        <RouteForm projectId={projectId} classifier={classifier} edited={undefined} onClose={close} />
      </Dialog>
      <Dialog
        opened={task?.kind === "edit"}
        title={task?.kind === "edit" ? words.editRouteOf(task.facts.route.name) : ""}
        onClose={close}
        size="xl"
      >
        {task?.kind === "edit" && (
          <RouteForm projectId={projectId} classifier={classifier} edited={task.facts.detail} onClose={close} />
        )}
      </Dialog>
      <Dialog
        opened={task?.kind === "delete"}
        title={task?.kind === "delete" ? words.deleteRoute(task.facts.route.name) : ""}
        onClose={close}
      >
        {task?.kind === "delete" && (
          <RouteDeletion classifierId={classifier.id} routeId={task.facts.route.id} onClose={close} />
        )}
      </Dialog>
    </Stack>
  );
}

function RouteDeletion({
  classifierId,
  routeId,
  onClose,
}: {
  classifierId: string;
  routeId: string;
  onClose: () => void;
}) {
  const change = useChange("deleteRoute");
  return (
    <Stack>
      <Text size="sm">{words.deleteRouteHint}</Text>
      <DialogActions
        label={texts.actions.remove}
        change={change}
        onClose={onClose}
        onConfirm={() => change.mutate({ classifierId, routeId }, { onSuccess: onClose })}
        isDangerous
      />
    </Stack>
  );
}
