import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import { texts } from "../texts/index.ts";
import { Dialog, DialogActions } from "./dialog.tsx";
import type { DialogChange } from "./dialog.tsx";

/** What a confirmation needs. */
export interface ConfirmationProps {
  readonly title: string;
  /** What will happen. */
  readonly message: ReactNode;
  /** The label of the button that does it. */
  readonly action: string;
  /** The text that must be typed first, for what removes much. */
  readonly typed?: string;
  /** The state of the call. */
  readonly change: DialogChange;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. It is open while it is rendered. */
export function Confirmation({ title, message, action, typed, change, onConfirm, onClose }: ConfirmationProps) {
  const [text, setText] = useState("");
  const isConfirmed = typed === undefined || text === typed;
  return (
    <Dialog opened title={title} onClose={onClose} isUnasked>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isConfirmed) onConfirm();
        }}
      >
        <Stack>
          <Text size="sm">{message}</Text>
          {typed !== undefined && (
            <TextInput
              label={texts.actions.typeToConfirm(typed)}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <DialogActions label={action} change={change} onClose={onClose} isDisabled={!isConfirmed} isDangerous />
        </Stack>
      </form>
    </Dialog>
  );
}
