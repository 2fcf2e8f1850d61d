import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** A figure or other fact with its name, and what qualifies it. */
export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: string | undefined;
}

/** Facts beside each other. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <Group component="dl" gap="xl" align="flex-start" my={0}>
      {facts.map(({ name, value, note }) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="lg" fw={600} m={0}>
            {value}
          </Text>
          {note !== undefined && (
            <Text component="dd" size="xs" m={0}>
              {note}
            </Text>
          )}
        </div>
      ))}
    </Group>
  );
}
