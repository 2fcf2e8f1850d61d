import { FileButton, Button, Paper, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { texts } from "../../texts/index.ts";

/** Keeps the page when files are dropped beside the place for them: the browser would open them in its stead. */
function useMissedDrops(): void {
  useEffect(() => {
    const refuse = (event: DragEvent): void => {
      if (event.defaultPrevented || event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    for (const name of ["dragover", "drop"] as const) addEventListener(name, refuse);
    return () => {
      for (const name of ["dragover", "drop"] as const) removeEventListener(name, refuse);
    };
  }, []);
}

/** A place to drop files on, with a button that does the same by keyboard. */
export function Dropzone({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false);
  useMissedDrops();
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
