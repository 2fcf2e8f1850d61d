import { Anchor, Center, Group, Loader, Stack, Text } from "@mantine/core";
import type { Execution } from "@switchyard/client";
import { Link } from "wouter";
import { Problem } from "../../../api/problem.tsx";
import { firstRequests } from "../../../api/first-requests.ts";
import { prefetchAllItems, useCall } from "../../../api/queries.ts";
import { SectionLinks } from "../../../controls/sections.tsx";
import { formatTime } from "../../../format/times.ts";
import { PageTitle } from "../../../controls/page-title.tsx";
import { texts } from "../../../texts/index.ts";
import { Comparison } from "../comparison/comparison.tsx";
import { Gate } from "../gate/gate.tsx";
import { RunStatus } from "../list/run-status.tsx";
import { FileCells } from "./file-cells.tsx";
import { Overview } from "./overview.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunFiles } from "./run-files.tsx";
import { RunProgress } from "./run-progress.tsx";
import { useWatched } from "./watched.ts";

const text = texts.benchmarks.run;

/** Which part of a run is shown. */
export interface RunProps {
  readonly executionId: string;
  readonly part: string;
  /** The file whose cells are shown. */
  readonly fileId: string | undefined;
}

/** A run: its progress while it is running, and its parts. */
export function Run({ executionId, part, fileId }: RunProps) {
  const { data: run, error, refetch } = useCall(...firstRequests.run(executionId));
  const isBroken = useWatched(run);
  const back = (
    <Anchor component={Link} href="/" size="sm">
      {texts.benchmarks.allRuns}
    </Anchor>
  );
  if (run === undefined)
    return (
      <Stack>
        {back}
        <PageTitle>{texts.pages.benchmarks}</PageTitle>
        {error === null ? (
          <Center p="xl">
            <Loader aria-label={texts.table.loading} />
          </Center>
        ) : (
          <Problem error={error} retry={() => void refetch()} />
        )}
      </Stack>
    );
  return (
    <Stack>
      {back}
      <Heading run={run} part={part} fileId={fileId} />
      {run.status === "RUNNING" && <RunProgress progress={run.progress} isBroken={isBroken} />}
      {run.error !== null && (
        <Text role="alert">
          <b>{run.error.code}</b>: {run.error.message}
        </Text>
      )}
      <SectionLinks
        name={text.sections}
        sections={[
          { href: `/${run.id}`, title: text.overview, isCurrent: part === "overview" },
          {
            href: `/${run.id}/files`,
            title: text.files,
            isCurrent: part === "files",
            first: [prefetchAllItems(...firstRequests.fileResults(run.id))],
          },
          { href: `/${run.id}/comparison`, title: text.comparison, isCurrent: part === "comparison" },
          { href: `/${run.id}/gate`, title: text.gate, isCurrent: part === "gate" },
        ]}
      />
      <Part run={run} part={part} fileId={fileId} />
    </Stack>
  );
}

/** The parts of a run after the first one, by their part of the address. */
const partTitles: Readonly<Record<string, string>> = {
  files: text.files,
  comparison: text.comparison,
  gate: text.gate,
};

function Heading({ run, part, fileId }: { run: Execution } & Omit<RunProps, "executionId">) {
  const { name, status, description, deploymentName, configuration, createdAt } = run;
  const file = useCall(...firstRequests.fileResult(run.id, fileId ?? ""), { enabled: fileId !== undefined });
  const filename = fileId === undefined ? undefined : file.data?.filename;
  return (
    <Group justify="space-between" align="flex-start">
      <div>
        <Group>
          <PageTitle part={filename ?? partTitles[part]}>{name}</PageTitle>
          <RunStatus status={status} />
        </Group>
        <Text size="sm">{text.subtitle(deploymentName, configuration?.version ?? 0, formatTime(createdAt))}</Text>
        {description !== "" && <Text mt="xs">{description}</Text>}
      </div>
      <RunActions run={run} />
    </Group>
  );
}

function Part({ run, part, fileId }: { run: Execution; part: string; fileId: string | undefined }) {
  switch (part) {
    case "overview":
      return <Overview run={run} />;
    case "files":
      return fileId === undefined ? <RunFiles run={run} /> : <FileCells key={fileId} run={run} fileId={fileId} />;
    case "comparison":
      return <Comparison run={run} />;
    case "gate":
      return <Gate run={run} />;
    default:
      return <Text>{texts.pages.missing}</Text>;
  }
}
