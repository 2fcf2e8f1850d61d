import { Button, Group, Stack } from "@mantine/core";
import type { Token } from "@switchyard/client";
import { useState } from "react";
import { firstRequests } from "../../../api/first-requests.ts";
import { useChange, useItems } from "../../../api/queries.ts";
import { Confirmation } from "../../../dialog/confirmation.tsx";
import { usePermissions, useSession } from "../../../session/session.ts";
import { DataTable } from "../../../table/data-table.tsx";
import { EmptyState } from "../../../table/empty-state.tsx";
import { texts } from "../../../texts/index.ts";
import { useDirectory } from "../directory.ts";
import { mayRotate } from "./grantable.ts";
import { IssuedSecret } from "./issued-secret.tsx";
import { Rotation } from "./rotation.tsx";
import { TokenForm } from "./token-form.tsx";
import { tokenColumns } from "./token-columns.tsx";

const text = texts.administration.token;

/** What is open over the list. A secret is only kept here, and only until it is closed. */
type Open =
  | { readonly kind: "create" }
  | { readonly kind: "rotate"; readonly token: Token }
  | { readonly kind: "revoke"; readonly token: Token }
  | { readonly kind: "secret"; readonly name: string; readonly secret: string };

/** The access tokens that the caller may see, newest first. */
export function Tokens() {
  const { me } = useSession();
  const may = usePermissions();
  const directory = useDirectory();
  const { items, query, loadAll } = useItems(...firstRequests.tokens());
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const close = (): void => setOpen(undefined);
  const showSecret = (name: string, secret: string): void => setOpen({ kind: "secret", name, secret });
  const actions = (token: Token) => (
    <Group gap="xs" wrap="nowrap">
      {mayRotate(token, me.token, may) && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={text.rotateName(token.name)}
          onClick={() => setOpen({ kind: "rotate", token })}
        >
          {text.rotate}
        </Button>
      )}
      {token.status === "ACTIVE" && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={text.revokeName(token.name)}
          onClick={() => setOpen({ kind: "revoke", token })}
        >
          {text.revoke}
        </Button>
      )}
    </Group>
  );
  return (
    <Stack>
      <Group justify="flex-end">
        <Button onClick={() => setOpen({ kind: "create" })}>{text.create}</Button>
      </Group>
      <DataTable
        name={texts.administration.tokens}
        columns={tokenColumns(directory.nameOf, me.token?.id, actions)}
        rows={items}
        loadAll={loadAll}
        rowKey={({ id }) => id}
        query={query}
        empty={<EmptyState title={text.empty}>{text.emptyHint}</EmptyState>}
      />
      {open?.kind === "create" && <TokenForm directory={directory} onIssued={showSecret} onClose={close} />}
      {open?.kind === "rotate" && <Rotation token={open.token} onIssued={showSecret} onClose={close} />}
      {open?.kind === "revoke" && <Revocation token={open.token} onClose={close} />}
      {open?.kind === "secret" && <IssuedSecret name={open.name} secret={open.secret} onClose={close} />}
    </Stack>
  );
}

function Revocation({ token, onClose }: { token: Token; onClose: () => void }) {
  const { me } = useSession();
  const revocation = useChange("revokeToken");
  return (
    <Confirmation
      title={text.revokeTitle}
      message={
        <>
          {text.revokeMessage(token.name)} {token.id === me.token?.id ? text.revokeOwn : ""}
        </>
      }
      action={text.revoke}
      change={revocation}
      onConfirm={() => revocation.mutate({ tokenId: token.id }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
