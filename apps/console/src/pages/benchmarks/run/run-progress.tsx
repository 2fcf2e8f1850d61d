import { Group, Progress, Stack, Text } from "@mantine/core";
import type { Execution } from "@switchyard/client";
import { texts } from "../../../texts/index.ts";

const text = texts.benchmarks.run;

/** How far a run has come. */
export function RunProgress({ progress, isBroken }: Pick<Execution, "progress"> & { isBroken: boolean }) {
  const { done, total, failed } = progress ?? { done: 0, total: 0, failed: 0 };
  return (
    <Stack gap={4}>
      <Progress.Root size="lg">
        <Progress.Section value={total === 0 ? 0 : (done / total) * 100} aria-label={text.progress(done, total)} />
      </Progress.Root>
      <Group role="status" gap="xs">
        <Text size="sm">{text.progress(done, total)}</Text>
        {failed > 0 && <Text size="sm">({text.failedFiles(failed)})</Text>}
        {isBroken && <Text size="sm">{text.interrupted}</Text>}
      </Group>
    </Stack>
  );
}
