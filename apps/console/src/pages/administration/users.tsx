import { Button, Code, Group, Stack, TextInput } from "@mantine/core";
import type { User } from "@switchyard/client";
import { useState } from "react";
import { useChange } from "../../api/queries.ts";
import { Dialog, DialogActions } from "../../dialog/dialog.tsx";
import { getFieldError } from "../../dialog/fields.ts";
import { DataTable } from "../../table/data-table.tsx";
import { EmptyState } from "../../table/empty-state.tsx";
import type { Column } from "../../table/data-table.tsx";
import { formatTime } from "../../format/times.ts";
import { texts } from "../../texts/index.ts";
import { useUsers } from "./directory.ts";

const text = texts.administration;

const columns: readonly Column<User>[] = [
  { title: text.name, value: ({ name }) => name },
  { title: text.id, value: ({ id }) => id, cell: ({ id }) => <Code>{id}</Code> },
  { title: text.created, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => formatTime(createdAt) },
];

/** The users of the organization. */
export function Users() {
  const users = useUsers();
  const [isCreating, setCreating] = useState(false);
  return (
    <Stack>
      <Group justify="flex-end">
        <Button onClick={() => setCreating(true)}>{text.user.create}</Button>
      </Group>
      <DataTable
        name={text.users}
        columns={columns}
        rows={users.data ?? []}
        rowKey={({ id }) => id}
        query={users}
        empty={<EmptyState title={text.user.empty}>{text.user.emptyHint}</EmptyState>}
      />
      {isCreating && <Creation onClose={() => setCreating(false)} />}
    </Stack>
  );
}

function Creation({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const creation = useChange("createUser");
  return (
    <Dialog opened title={text.user.create} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creation.mutate({ name }, { onSuccess: onClose });
        }}
      >
        <Stack>
          <TextInput
            label={text.name}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={getFieldError(creation.error, "name")}
            maxLength={120}
            required
            data-autofocus
          />
          <DialogActions label={texts.actions.create} change={creation} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
