import { Stack, Text } from "@mantine/core";
import { ApiError } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Status } from "../../controls/status.tsx";
import { useSession } from "../../session/session.ts";
import { DataTable } from "../../table/data-table.tsx";
import type { Column } from "../../table/data-table.tsx";
import { texts } from "../../texts/index.ts";

const text = texts.administration.state;

/** The time between checks, in milliseconds. */
const pauseMs = 10_000;

/** Whether a part of the server works. Undefined until it is known. */
interface PartState {
  readonly name: string;
  readonly hint: string;
  readonly isOk: boolean | undefined;
  /** Why it does not work. */
  readonly note: string;
}

/** Whether the server works, as monitoring systems see it. */
export function Health() {
  const rows = [
    { name: text.server, hint: text.serverHint, ...useCheck("/healthz") },
    { name: text.readiness, hint: text.readinessHint, ...useCheck("/readyz") },
  ];
  return (
    <Stack>
      <Text size="sm">{text.hint}</Text>
      <DataTable
        name={texts.administration.health}
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
        empty={null}
      />
    </Stack>
  );
}

/** The state that the server reports at a path. */
function useCheck(path: string): Pick<PartState, "isOk" | "note"> {
  const { client } = useSession();
  const { data } = useQuery({
    queryKey: ["health", path],
    queryFn: async ({ signal }) => {
      try {
        const { chunks } = await client.open({ method: "GET", path }, { signal, retries: 0 });
        await chunks.return();
        return { isOk: true, note: "" };
      } catch (error) {
        signal.throwIfAborted();
        return { isOk: false, note: error instanceof ApiError ? error.problem.detail : String(error) };
      }
    },
    refetchInterval: pauseMs,
  });
  return data ?? { isOk: undefined, note: "" };
}

const columns: readonly Column<PartState>[] = [
  {
    title: text.component,
    value: ({ name }) => name,
    cell: ({ name, hint }) => (
      <>
        {name}
        <Text size="xs">{hint}</Text>
      </>
    ),
  },
  {
    title: text.state,
    value: ({ isOk }) => isOk ?? null,
    cell: ({ isOk }) =>
      isOk === undefined ? text.checking : <Status tone={isOk ? "good" : "bad"}>{isOk ? text.ok : text.notOk}</Status>,
  },
  { title: text.note, value: ({ note }) => note },
];
