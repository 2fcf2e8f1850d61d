import { Stack, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { texts } from "../../../texts/index.ts";

const words = texts.models.schema;
const nothing = { error: null, isPending: false };

/** A part of a draft with a name: a table or a column. A new one has no slug yet. */
interface Part {
  readonly name: string;
  readonly slug: string;
}

/** What the dialog about a part of a draft needs. */
export interface PartDialogProps<Edited extends Part> {
  /** The part; undefined while the dialog is closed. */
  readonly part: Edited | undefined;
  readonly titles: { readonly create: string; readonly edit: (name: string) => string };
  readonly nameLabel: string;
  readonly onPart: (part: Edited) => void;
  readonly onClose: () => void;
  /** Returns the inputs after those of the name and the slug. */
  readonly children: (part: Edited, set: (changed: Partial<Edited>) => void) => ReactNode;
}

/** Edits a part of a draft: its name, its slug and what `children` adds. */
export function PartDialog<Edited extends Part>(props: PartDialogProps<Edited>) {
  const { part, titles, onClose } = props;
  return (
    <Dialog
      opened={part !== undefined}
      title={part?.slug === "" ? titles.create : titles.edit(part?.name ?? "")}
      onClose={onClose}
    >
      {part !== undefined && <Form {...props} part={part} />}
    </Dialog>
  );
}

function Form<Edited extends Part>(props: PartDialogProps<Edited> & { readonly part: Edited }) {
  const { part: first, nameLabel, onPart, onClose, children } = props;
  const [part, setPart] = useState(first);
  const set = (changed: Partial<Edited>): void => setPart((previous) => ({ ...previous, ...changed }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onPart(part);
      }}
    >
      <Stack>
        <TextInput
          label={nameLabel}
          value={part.name}
          onChange={(event) => set({ name: event.currentTarget.value } as Partial<Edited>)}
          maxLength={120}
          data-autofocus
        />
        <TextInput
          label={words.slug}
          description={words.slugHint}
          value={part.slug}
          onChange={(event) => set({ slug: event.currentTarget.value } as Partial<Edited>)}
          maxLength={63}
          required
        />
        {children(part, set)}
        <DialogActions label={words.apply} change={nothing} onClose={onClose} />
      </Stack>
    </form>
  );
}
