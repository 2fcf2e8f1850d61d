import { Badge } from "@mantine/core";

/** How something stands. The color repeats what the text says. */
export type Tone = "good" | "bad" | "waiting" | "neutral";

/** A status in words, with a point in its color. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Badge variant="dot" tt="none" color={colors[tone]} miw="max-content">
      {children}
    </Badge>
  );
}

const colors = { good: "green", bad: "red", waiting: "yellow", neutral: "gray" } as const;
