import { Code, Stack, Text } from "@mantine/core";
import type { EngineDescription } from "@switchyard/client";
import { firstRequests } from "../../api/first-requests.ts";
import { useCall } from "../../api/queries.ts";
import { Status } from "../../controls/status.tsx";
import { formatTime } from "../../format/times.ts";
import { DataTable } from "../../table/data-table.tsx";
import type { Column } from "../../table/data-table.tsx";
import { texts } from "../../texts/index.ts";

const text = texts.administration.engine;

/** The time between checks, in milliseconds. The server does not check its endpoints more often. */
const pauseMs = 15_000;

const yesOrNo = (value: boolean): string => (value ? text.yes : text.no);

const columns: readonly Column<EngineDescription>[] = [
  { title: texts.administration.name, value: ({ name }) => name, cell: ({ name }) => <Code>{name}</Code> },
  {
    title: text.state,
    value: ({ status }) => status,
    cell: ({ status }) => (
      <Status tone={status === "READY" ? "good" : "bad"}>{status === "READY" ? text.ready : text.unreachable}</Status>
    ),
  },
  { title: text.models, value: ({ models }) => models.join(", ") },
  { title: text.learns, value: ({ learns }) => yesOrNo(learns) },
  { title: text.images, value: ({ images }) => yesOrNo(images) },
  { title: text.checked, value: ({ checkedAt }) => checkedAt, cell: ({ checkedAt }) => formatTime(checkedAt) },
];

/** The engines that the organization may use, and whether they respond. */
export function Engines() {
  const engines = useCall(...firstRequests.engines(), { repeatMs: pauseMs });
  return (
    <Stack>
      <Text size="sm">{text.hint}</Text>
      <DataTable
        name={texts.administration.engines}
        columns={columns}
        rows={engines.data?.data ?? []}
        rowKey={({ name }) => name}
        query={engines}
        empty={null}
      />
    </Stack>
  );
}
