import { Button, Group } from "@mantine/core";
import type { Execution, ListExecutionsResponse } from "@switchyard/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Problem } from "../../../api/problem.tsx";
import { firstRequests } from "../../../api/first-requests.ts";
import { useChange } from "../../../api/queries.ts";
import { Confirmation } from "../../../dialog/confirmation.tsx";
import { usePermissions, useSession } from "../../../session/session.ts";
import { texts } from "../../../texts/index.ts";

const text = texts.benchmarks.run;

/** What can be done with a run: cancel it while it is running, and afterwards run it again or delete it. */
export function RunActions({ run }: { run: Execution }) {
  const may = usePermissions();
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const cancellation = useChange("cancelExecution");
  const { client } = useSession();
  const queries = useQueryClient();
  // Without requesting again what the page shows, because it was deleted. The list that opens must not request it either.
  const deletion = useMutation({
    mutationFn: () => client.deleteExecution({ executionId: run.id }),
    onSuccess: () => {
      queries.setQueryData<ListExecutionsResponse>(
        firstRequests.runs(run.projectId),
        (known) => known && { data: known.data.filter(({ id }) => id !== run.id) },
      );
      navigate("/");
    },
  });
  if (!may("benchmarks:run")) return null;
  if (run.status === "RUNNING")
    return (
      <div>
        <Button
          variant="default"
          loading={cancellation.isPending}
          onClick={() => cancellation.mutate({ executionId: run.id })}
        >
          {text.cancel}
        </Button>
        <Problem error={cancellation.error} />
      </div>
    );
  const form = new URLSearchParams({
    new: "1",
    deploymentId: run.deploymentId,
    extractionSchemaId: run.extractionSchemaId,
  });
  return (
    <Group>
      {may("models:read") && (
        <Button component={Link} href={`/?${form.toString()}`} variant="default">
          {text.again}
        </Button>
      )}
      <Button variant="default" onClick={() => setAsking(true)}>
        {text.remove}
      </Button>
      {isAsking && (
        <Confirmation
          title={text.remove}
          message={text.removeMessage(run.name)}
          action={texts.actions.remove}
          change={deletion}
          onConfirm={() => deletion.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </Group>
  );
}
