import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { Dialog } from "../../../dialog/dialog.tsx";
import { CopyButton } from "../../../controls/copy-button.tsx";
import { texts } from "../../../texts/index.ts";

const text = texts.administration.token;

/** What the dialog needs. */
export interface IssuedSecretProps {
  readonly name: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows the secret of a token, which cannot be shown again. No key and no click beside it closes the dialog by mistake. */
export function IssuedSecret({ name, secret, onClose }: IssuedSecretProps) {
  return (
    <Dialog opened isLasting title={`${text.secretTitle} “${name}”`} onClose={onClose}>
      <Stack>
        <Alert color="yellow" variant="light">
          {text.secretWarning}
        </Alert>
        <TextInput
          label={text.secret}
          value={secret}
          readOnly
          autoComplete="off"
          spellCheck={false}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Group justify="flex-end">
          <CopyButton label={text.copy} text={secret} variant="default" isFirst />
          <Button onClick={onClose}>{text.secretDone}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
