import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { Dialog } from "../dialog/dialog.tsx";
import { texts } from "../texts/index.ts";
import { useTokenEntry } from "./token-entry.ts";

/** What the dialog needs. */
export interface RenewalProps {
  /** Continues with a token, and returns why it cannot be used; undefined if it can. */
  readonly onToken: (token: string) => Promise<string | undefined>;
  /** Called when the session is to end. */
  readonly onEnd: () => void;
}

/** Asks for another token over a page with something that was entered and is not saved. */
export function Renewal({ onToken, onEnd }: RenewalProps) {
  const { input, submit, isChecking } = useTokenEntry(onToken);
  return (
    <Dialog opened isLasting isUnasked title={texts.signIn.renew} onClose={onEnd}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{texts.signIn.renewHint}</Text>
          <PasswordInput {...input} data-autofocus />
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
