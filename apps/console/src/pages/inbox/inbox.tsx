import { Title } from "@mantine/core";
import { texts } from "../../texts/index.ts";
import type { ProjectPageProps } from "../pages.ts";

/** What comes in, the review list first. */
export function Inbox({ projectId }: ProjectPageProps) {
  return (
    <Title order={1} size="h2">
      {texts.pages.inbox} {projectId}
    </Title>
  );
}
