import { FileButton, Button, Paper, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { texts } from "../../texts/index.ts";

/** A place to drop files on, with a button that does the same by keyboard. */
export function Dropzone({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false);
  return (
    <Paper
      withBorder
      p="lg"
      bg={isOver ? "var(--mantine-color-default-hover)" : "transparent"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <Stack align="center" gap="xs">
        <Text>{texts.tryIt.drop}</Text>
        <FileButton multiple onChange={onFiles} inputProps={{ "aria-label": texts.tryIt.choose }}>
          {(props) => <Button {...props}>{texts.tryIt.choose}</Button>}
        </FileButton>
        <Text size="sm" c="dimmed">
          {texts.tryIt.formats}
        </Text>
      </Stack>
    </Paper>
  );
}
