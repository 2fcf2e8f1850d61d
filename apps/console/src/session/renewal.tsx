import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Dialog } from "../dialog/dialog.tsx";
import { texts } from "../texts/index.ts";

/** What the dialog needs. */
export interface RenewalProps {
  /** Continues with a token, and returns why it cannot be used; undefined if it can. */
  readonly onToken: (token: string) => Promise<string | undefined>;
  /** Called when the session is to end. */
  readonly onEnd: () => void;
}

/** Asks for another token over a page with something that was entered and is not saved. */
export function Renewal({ onToken, onEnd }: RenewalProps) {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isChecking, setChecking] = useState(false);
  const submit = async (): Promise<void> => {
    setChecking(true);
    setProblem(await onToken(token.trim()));
    setChecking(false);
  };
  return (
    <Dialog opened isLasting isUnasked title={texts.signIn.renew} onClose={onEnd}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack>
          <Text size="sm">{texts.signIn.renewHint}</Text>
          <PasswordInput
            label={texts.signIn.token}
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            error={problem}
            autoComplete="off"
            required
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onEnd}>
              {texts.shell.signOut}
            </Button>
            <Button type="submit" loading={isChecking}>
              {texts.signIn.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
