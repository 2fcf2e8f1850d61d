import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Dialog, DialogActions } from "../../dialog/dialog.tsx";
import type { DialogChange } from "../../dialog/dialog.tsx";
import { getFieldError } from "../../dialog/fields.ts";
import { texts } from "../../texts/index.ts";

/** What a dialog that asks for a name needs. */
export interface NameDialogProps {
  readonly opened: boolean;
  readonly title: string;
  readonly hint?: string;
  /** The name at the beginning. */
  readonly name: string;
  readonly label: string;
  readonly change: DialogChange;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

/** Asks for the name of something. */
export function NameDialog({ opened, title, onClose, ...form }: NameDialogProps) {
  return (
    <Dialog opened={opened} title={title} onClose={onClose}>
      <Form {...form} onClose={onClose} />
    </Dialog>
  );
}

function Form({ hint, name: first, label, change, onName, onClose }: Omit<NameDialogProps, "opened" | "title">) {
  const [name, setName] = useState(first);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onName(name);
      }}
    >
      <Stack>
        {hint !== undefined && <Text size="sm">{hint}</Text>}
        <TextInput
          label={texts.models.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={getFieldError(change.error, "name")}
          maxLength={120}
          required
          data-autofocus
        />
        <DialogActions label={label} change={change} onClose={onClose} />
      </Stack>
    </form>
  );
}
