import { Group, Kbd, Stack, Switch, Text } from "@mantine/core";
import { texts } from "../../texts/index.ts";
import { useKeysSetting } from "./review-keys.ts";

/** The single keys of a page, and what each does, with a switch that turns them off. */
export function SingleKeys({ list }: { list: readonly (readonly [string, string])[] }) {
  const [areOn, set] = useKeysSetting();
  return (
    <Stack gap={4}>
      <Switch label={texts.review.singleKeys} checked={areOn} onChange={(event) => set(event.currentTarget.checked)} />
      {areOn && <Keys list={list} />}
    </Stack>
  );
}

/** The keys of a page, and what each does. */
export function Keys({ list }: { list: readonly (readonly [string, string])[] }) {
  return (
    <Stack gap={4}>
      {list.map(([key, meaning]) => (
        <Group key={key} gap="xs">
          <Kbd>{key}</Kbd>
          <Text size="sm">{meaning}</Text>
        </Group>
      ))}
    </Stack>
  );
}
