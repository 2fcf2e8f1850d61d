import { Code, Text } from "@mantine/core";
import type { Token } from "@switchyard/client";
import type { ReactNode } from "react";
import { Status } from "../../../controls/status.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { formatTime } from "../../../format/times.ts";
import { texts } from "../../../texts/index.ts";

const text = texts.administration.token;

/** The columns of the table of tokens. `ownId` is the ID of the caller's token. */
export function tokenColumns(
  nameOf: (id: string) => string,
  ownId: string | undefined,
  actions: (token: Token) => ReactNode,
): readonly Column<Token>[] {
  const reachOf = ({ projectId, teamIds }: Token): string =>
    projectId !== null ? nameOf(projectId) : teamIds.map(nameOf).join(", ") || text.noTeams;
  const time = (title: string, of: (token: Token) => string | null): Column<Token> => ({
    title,
    value: of,
    cell: (token) => (of(token) === null ? text.never : formatTime(of(token))),
  });
  return [
    {
      title: texts.administration.name,
      value: ({ name }) => name,
      cell: ({ id, name }) => (
        <>
          {name}
          {id === ownId && (
            <Text size="xs" c="dimmed">
              {text.own}
            </Text>
          )}
        </>
      ),
    },
    {
      title: text.status,
      value: ({ status }) => status,
      cell: ({ status }) => <Status tone={tones[status]}>{text.statuses[status]}</Status>,
    },
    { title: text.reach, value: (token) => `${text.scopes[token.scope]}: ${reachOf(token)}` },
    {
      title: text.permissions,
      value: ({ permissions }) => permissions.join(", "),
      cell: ({ permissions }) => <Text size="xs">{permissions.join(", ")}</Text>,
    },
    { title: text.user, value: ({ userId }) => nameOf(userId) },
    {
      title: text.prefix,
      value: ({ prefix }) => prefix,
      cell: ({ prefix }) => <Code style={{ whiteSpace: "nowrap" }}>{prefix}</Code>,
    },
    time(text.lastUsed, ({ lastUsedAt }) => lastUsedAt),
    time(text.expires, ({ expiresAt }) => expiresAt),
    { title: texts.administration.actions, value: () => null, cell: actions },
  ];
}

const tones = { ACTIVE: "good", REVOKED: "bad", EXPIRED: "neutral" } as const;
