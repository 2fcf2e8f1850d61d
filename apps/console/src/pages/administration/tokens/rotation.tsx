import { Alert, Select, Stack, Text } from "@mantine/core";
import type { Token } from "@switchyard/client";
import { useState } from "react";
import { useChange } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { useSession } from "../../../session/session.ts";
import { texts } from "../../../texts/index.ts";

const text = texts.administration.token;

/** What the dialog needs. */
export interface RotationProps {
  readonly token: Token;
  readonly onIssued: (name: string, secret: string) => void;
  readonly onClose: () => void;
}

/**
 * Gives a token a new secret. The token of this page always gets a grace period: without one, the next call would end the session, perhaps
 * before anybody has seen the new secret.
 */
export function Rotation({ token, onIssued, onClose }: RotationProps) {
  const isOwn = useSession().me.token?.id === token.id;
  const [graceSeconds, setGraceSeconds] = useState("3600");
  const rotation = useChange("rotateToken");
  const graces = Object.entries(text.graces)
    .filter(([seconds]) => !isOwn || seconds !== "0")
    .map(([value, label]) => ({ value, label }));
  const submit = (): void =>
    rotation.mutate(
      { tokenId: token.id, graceSeconds: Number(graceSeconds) },
      {
        onSuccess: ({ name, secret }) => {
          rotation.reset();
          onIssued(name, secret);
        },
      },
    );
  return (
    <Dialog opened title={text.rotateTitle} onClose={onClose}>
      <Stack>
        <Text size="sm">{text.rotateMessage(token.name)}</Text>
        {isOwn && (
          <Alert color="yellow" variant="light">
            {text.rotateOwn}
          </Alert>
        )}
        <Select
          label={text.grace}
          data={graces}
          value={graceSeconds}
          onChange={(seconds) => setGraceSeconds(seconds ?? "3600")}
          allowDeselect={false}
        />
        <DialogActions label={text.rotateSubmit} change={rotation} onClose={onClose} onConfirm={submit} />
      </Stack>
    </Dialog>
  );
}
