import { Code, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import type { AuditEntry } from "@switchyard/client";
import { firstRequests } from "../../../api/first-requests.ts";
import { useItems } from "../../../api/queries.ts";
import { DaysAndClear, TypedFilter } from "../../../controls/filters.tsx";
import { useParameters } from "../../../controls/parameters.ts";
import { Status } from "../../../controls/status.tsx";
import { toBeginning, toEnd, formatTime } from "../../../format/times.ts";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { useDirectory } from "../directory.ts";

const text = texts.administration.trail;

/** The parameters of the address that filter entries. */
const filterNames = ["action", "actorId", "targetId", "from", "to"] as const;

/** The audit trail of the organization, newest first. The filters are in the address. */
export function Audit() {
  const parameters = useParameters();
  const { nameOf } = useDirectory();
  const [from, to] = [toBeginning(parameters.get("from")), toEnd(parameters.get("to"))];
  const named = (["action", "actorId", "targetId"] as const).map((name) => [name, parameters.get(name)] as const);
  const { items, query, loadAll } = useItems(
    ...firstRequests.audit({
      ...Object.fromEntries(named.filter(([, value]) => value !== "")),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    }),
  );
  const isFiltered = filterNames.some((name) => parameters.has(name));
  return (
    <Stack>
      <Group align="flex-end">
        <TypedFilter name="action" label={text.action} w={240} />
        <TypedFilter name="actorId" label={text.actor} placeholder={text.actorHint} w={240} />
        <TypedFilter name="targetId" label={text.target} placeholder={text.targetHint} w={240} />
        <DaysAndClear labels={text} names={filterNames} />
      </Group>
      <DataTable
        name={texts.administration.audit}
        columns={columnsOf(nameOf, (changes) => parameters.set(changes))}
        rows={items}
        loadAll={loadAll}
        rowKey={({ id }) => id}
        query={query}
        empty={<Text>{isFiltered ? text.emptyMatch : text.empty}</Text>}
      />
    </Stack>
  );
}

function columnsOf(
  nameOf: (id: string) => string,
  onFilter: (changes: Record<string, string>) => void,
): readonly Column<AuditEntry>[] {
  return [
    { title: text.at, value: ({ at }) => at, cell: ({ at }) => formatTime(at) },
    {
      title: text.action,
      value: ({ action }) => action,
      cell: ({ action }) => <Only label={action} value={action} onChoose={(value) => onFilter({ action: value })} />,
    },
    {
      title: text.outcome,
      value: ({ outcome }) => outcome,
      cell: ({ outcome }) => <Status tone={outcome === "DONE" ? "good" : "bad"}>{text.outcomes[outcome]}</Status>,
    },
    {
      title: text.actor,
      value: ({ userId }) => nameOf(userId),
      cell: ({ userId, tokenId }) => (
        <>
          <Only label={nameOf(userId)} value={userId} onChoose={(actorId) => onFilter({ actorId })} />
          <Text size="xs">{tokenId}</Text>
        </>
      ),
    },
    {
      title: text.target,
      value: ({ targetId }) => targetId,
      cell: ({ targetId }) =>
        targetId === null ? (
          texts.none
        ) : (
          <Only label={targetId} value={targetId} onChoose={(id) => onFilter({ targetId: id })} />
        ),
    },
    {
      title: text.request,
      value: ({ requestId }) => requestId,
      cell: ({ requestId }) => <Text size="xs">{requestId}</Text>,
    },
    {
      title: text.changes,
      value: ({ changes }) => JSON.stringify(changes),
      cell: ({ changes }) => <Changes changes={changes} />,
    },
  ];
}

/** Shows only the entries that have this in common. */
function Only({ label, value, onChoose }: { label: string; value: string; onChoose: (value: string) => void }) {
  return (
    <UnstyledButton fz="sm" td="underline" aria-label={text.only(label)} onClick={() => onChoose(value)}>
      {label}
    </UnstyledButton>
  );
}

function Changes({ changes }: Pick<AuditEntry, "changes">) {
  if (changes === null || Object.keys(changes).length === 0) return texts.none;
  return (
    <details>
      <summary>{text.changes}</summary>
      <Code component="pre" fz="xs" style={{ whiteSpace: "pre-wrap" }}>
        {JSON.stringify(changes, undefined, 2)}
      </Code>
    </details>
  );
}
