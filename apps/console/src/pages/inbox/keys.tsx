import { Group, Kbd, Stack, Text } from "@mantine/core";

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
