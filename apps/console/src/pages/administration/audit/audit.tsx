import { Button, Code, Group, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import type { AuditEntry } from "@switchyard/client";
import { useState } from "react";
import { useItems } from "../../../api/queries.ts";
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

/** The audit trail of the organization, newest first. The filters stand in the address. */
export function Audit() {
  const parameters = useParameters();
  const { nameOf } = useDirectory();
  const [from, to] = [toBeginning(parameters.get("from")), toEnd(parameters.get("to"))];
  const named = (["action", "actorId", "targetId"] as const).map((name) => [name, parameters.get(name)] as const);
  const { items, query, loadAll } = useItems("listAuditEntries", {
    ...Object.fromEntries(named.filter(([, value]) => value !== "")),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
  const isFiltered = filterNames.some((name) => parameters.has(name));
  return (
    <Stack>
      <Group align="flex-end">
        <Filter name="action" label={text.action} />
        <Filter name="actorId" label={text.actor} hint={text.actorHint} />
        <Filter name="targetId" label={text.target} hint={text.targetHint} />
        {(["from", "to"] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={text[name]}
            value={parameters.get(name)}
            onChange={(event) => parameters.set({ [name]: event.currentTarget.value })}
          />
        ))}
        {isFiltered && (
          <Button
            variant="subtle"
            onClick={() => parameters.set(Object.fromEntries(filterNames.map((name) => [name, ""])))}
          >
            {text.clear}
          </Button>
        )}
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

/** The time after which a typed filter is sent, in milliseconds. */
const pauseMs = 300;

/** A filter that is typed. It follows the address when that is changed otherwise. */
function Filter({ name, label, hint }: { name: string; label: string; hint?: string }) {
  const parameters = useParameters();
  const current = parameters.get(name);
  const [typed, setTyped] = useState(current);
  const [seen, setSeen] = useState(current);
  if (current !== seen) {
    setSeen(current);
    if (current !== typed.trim()) setTyped(current);
  }
  const send = useDebouncedCallback((value: string) => parameters.set({ [name]: value }), pauseMs);
  return (
    <TextInput
      label={label}
      placeholder={hint ?? ""}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        send(event.currentTarget.value.trim());
      }}
      w={240}
    />
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
