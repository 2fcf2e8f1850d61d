import { Badge } from "@mantine/core";
import { texts } from "../../texts/index.ts";

/** Says whether a classifier is global or of a project. */
export function ScopeBadge({ isGlobal }: { isGlobal: boolean }) {
  return <Badge variant="default">{isGlobal ? texts.classifiers.global : texts.classifiers.project}</Badge>;
}
