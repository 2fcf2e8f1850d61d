import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import type { Job } from "@switchyard/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { useCall, useChange } from "../../api/queries.ts";
import { Dialog, DialogActions } from "../../dialog/dialog.tsx";
import { useParameters } from "../../controls/parameters.ts";
import { texts } from "../../texts/index.ts";

const text = texts.values.extractAll;

/** Extracts all files of a model again. The ID of the job is in the address, so that a reload still shows its progress. */
export function ExtractAll({ modelId, modelName }: { modelId: string; modelName: string }) {
  const parameters = useParameters();
  const [isAsking, setAsking] = useState(false);
  const creation = useChange("extractAll");
  const jobId = parameters.get("job");
  const start = (): void =>
    creation.mutate(
      { deploymentId: modelId },
      {
        onSuccess: ({ id }) => {
          setAsking(false);
          parameters.set({ job: id });
        },
      },
    );
  return (
    <Stack gap={4}>
      <Button variant="default" onClick={() => setAsking(true)}>
        {text.open}
      </Button>
      {jobId !== "" && <JobProgress key={jobId} jobId={jobId} onDismiss={() => parameters.set({ job: "" })} />}
      {isAsking && (
        <Dialog opened title={text.open} onClose={() => setAsking(false)}>
          <Stack>
            <Text size="sm">{text.message(modelName)}</Text>
            <DialogActions label={text.submit} change={creation} onClose={() => setAsking(false)} onConfirm={start} />
          </Stack>
        </Dialog>
      )}
    </Stack>
  );
}

function JobProgress({ jobId, onDismiss }: { jobId: string; onDismiss: () => void }) {
  const queries = useQueryClient();
  const job = useCall("getJob", { jobId }, { repeatMs: (latest) => latest?.status === "RUNNING" && 1_000 });
  const cancellation = useChange("cancelJob");
  const hasEnded = job.data !== undefined && job.data.status !== "RUNNING";
  useEffect(() => {
    if (!hasEnded) return;
    void queries.invalidateQueries({ queryKey: ["listValues"] });
  }, [hasEnded, queries]);
  const dismissal = (
    <Button size="compact-sm" variant="default" onClick={onDismiss}>
      {text.dismiss}
    </Button>
  );
  if (job.data === undefined)
    return (
      <>
        <Problem error={job.error} retry={() => void job.refetch()} />
        {job.error !== null && dismissal}
      </>
    );
  const { status, done, total, failed } = job.data;
  return (
    <Stack gap={4} maw={420}>
      <Progress.Root size="lg">
        <Progress.Section value={share(job.data)} aria-label={text.progress(done, total)} />
      </Progress.Root>
      <Group gap="xs">
        <Text size="sm" role="status">
          {text.statuses[status]}: {text.progress(done, total)}
          {failed > 0 ? `, ${text.failed(failed)}` : ""}
        </Text>
        {hasEnded ? (
          dismissal
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            loading={cancellation.isPending}
            onClick={() => cancellation.mutate({ jobId })}
          >
            {text.cancel}
          </Button>
        )}
      </Group>
      <Problem error={cancellation.error} />
    </Stack>
  );
}

function share({ done, total }: Job): number {
  return total === 0 ? 100 : (done / total) * 100;
}
