import { Button } from "@mantine/core";
import type { ButtonProps } from "@mantine/core";
import { useEffect, useState } from "react";
import { texts } from "../texts/index.ts";

/** What a button that copies needs. */
export interface CopyButtonProps extends Pick<ButtonProps, "size" | "variant"> {
  readonly label: string;
  readonly text: string;
  /** Whether it has the keyboard first in a dialog. */
  readonly isFirst?: boolean;
}

/** For how long the button says what happened, in milliseconds. */
const shownMs = 2_000;

/** Copies a text, and says whether that worked. */
export function CopyButton({ label, text, isFirst = false, ...button }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"copied" | "notCopied" | undefined>(undefined);
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <Button
      {...button}
      {...(isFirst && { "data-autofocus": true })}
      onClick={({ currentTarget }) =>
        void copy(text, currentTarget).then((isCopied) => setOutcome(isCopied ? "copied" : "notCopied"))
      }
    >
      {outcome === undefined ? label : texts.shell[outcome]}
    </Button>
  );
}

/** Copies a text to the clipboard. Resolves with whether that worked. */
async function copy(text: string, button: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without TLS, a page has no clipboard. What is selected can still be copied.
    return copySelected(text, button);
  }
}

/** Copies a text by selecting it in a field beside the button, which has the keyboard again afterwards. */
function copySelected(text: string, button: HTMLElement): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  field.style.opacity = "0";
  button.after(field);
  field.select();
  try {
    // Deprecated, and the only way without TLS.
    return document.execCommand("copy");
  } finally {
    field.remove();
    button.focus();
  }
}
