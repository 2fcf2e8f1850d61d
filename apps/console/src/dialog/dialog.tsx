import { Button, Group, Modal, Stack } from "@mantine/core";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { Problem } from "../api/problem.tsx";
import { useQuestionBeforeLeaving } from "../controls/unsaved.ts";
import { texts } from "../texts/index.ts";

/** What a dialog shows. */
export interface DialogProps {
  readonly opened: boolean;
  readonly title: string;
  readonly onClose: () => void;
  /** What is in it. It is created again each time the dialog opens. */
  readonly children: ReactNode;
  readonly size?: "md" | "lg" | "xl";
  /** Whether only a button in it closes it, because what it shows is not shown again. */
  readonly isLasting?: boolean;
  /** Whether it closes without a question although something was entered in it: nothing that anyone would miss. */
  readonly isUnasked?: boolean;
}

/**
 * A dialog over the page. The keyboard stays in it until it is closed, and then returns to where it was. If something was entered in it, the
 * Escape key, a click beside it and the button in its corner ask before they close it; "Cancel" says so itself.
 */
export function Dialog(props: DialogProps) {
  const { opened, title, onClose, children, size = "lg", isLasting = false, isUnasked = false } = props;
  const [isTouched, setTouched] = useState(false);
  if (!opened && isTouched) setTouched(false);
  const isUnsaved = opened && isTouched && !isUnasked;
  useReturnOnRemoval(opened);
  useQuestionBeforeLeaving(isUnsaved, "dialog");
  return (
    <Modal.Root
      opened={opened}
      onClose={() => (isUnsaved && !confirm(texts.actions.unsaved) ? undefined : onClose())}
      size={size}
      transitionProps={{ duration: 0 }}
      closeOnClickOutside={!isLasting}
      closeOnEscape={!isLasting}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body
          onInput={() => setTouched(true)}
          // The options of a choice are drawn elsewhere, but their events come here.
          onClick={({ target }) => {
            if (target instanceof Element && target.closest("[role=option]") !== null) setTouched(true);
          }}
        >
          {/* Not the header of Mantine, which is a second banner to screen readers. */}
          <Group justify="space-between" wrap="nowrap" mb="md">
            <Modal.Title fw={600}>{title}</Modal.Title>
            {!isLasting && <Modal.CloseButton aria-label={texts.actions.close} />}
          </Group>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Gives the keyboard back when an open dialog is removed. Mantine only does so for one that stays, and is closed. */
function useReturnOnRemoval(opened: boolean): void {
  const before = useRef(opened ? document.activeElement : null);
  useEffect(
    () => () => {
      const { current } = before;
      // What was deleted in the dialog may have had the button that opened it.
      const next = current?.isConnected === false ? document.getElementById("content") : current;
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    },
    [],
  );
}

/** The state of the change that a dialog is about. */
export interface DialogChange {
  readonly error: unknown;
  readonly isPending: boolean;
  /** Forgets how the change before ended. */
  readonly reset?: () => void;
}

/** What the end of a dialog shows: the state of the change, and the buttons. */
export interface DialogActionsProps {
  readonly label: string;
  readonly change: DialogChange;
  readonly onClose: () => void;
  /** Does the change. Without it, the button submits the form around it. */
  readonly onConfirm?: () => void;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
}

/** The end of a dialog: why the change failed, and the buttons to leave and to do it. */
export function DialogActions({
  label,
  change,
  onClose,
  onConfirm,
  isDisabled = false,
  isDangerous = false,
}: DialogActionsProps) {
  // The failure of the attempt before is not one of a dialog that was opened again.
  useLayoutEffect(() => {
    if (change.error !== null && !change.isPending) change.reset?.();
  }, []);
  return (
    <Stack gap="sm">
      <Problem error={change.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {texts.actions.cancel}
        </Button>
        <Button
          type={onConfirm === undefined ? "submit" : "button"}
          onClick={(event) => {
            // The second click of a double click may come before the button shows that the change is under way.
            if (event.detail > 1) event.preventDefault();
            else onConfirm?.();
          }}
          {...(isDangerous && { color: "red" })}
          loading={change.isPending}
          disabled={isDisabled}
        >
          {label}
        </Button>
      </Group>
    </Stack>
  );
}
