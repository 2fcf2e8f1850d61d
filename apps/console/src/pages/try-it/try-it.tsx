import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { Dropzone } from "./dropzone.tsx";
import { useRef, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { firstRequests } from "../../api/first-requests.ts";
import { useItems } from "../../api/queries.ts";
import { Waiting } from "../../api/waiting.tsx";
import { ClassifierChoice } from "../../controls/classifier-choice.tsx";
import { useQuestionBeforeLeaving } from "../../controls/unsaved.ts";
import { useSession } from "../../session/session.ts";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import type { ProjectPageProps } from "../project-page.ts";
import { Outcomes } from "./outcomes.tsx";
import type { Attempt } from "./outcomes.tsx";

/** The number of documents that are sent at the same time. */
const parallel = 3;

/** Sends documents to a classifier, and shows where each goes, why, and what was read from it. */
export function TryIt({ projectId }: ProjectPageProps) {
  const { client } = useSession();
  const [parameters, setParameters] = useSearchParams();
  const { items: known, query } = useItems(...firstRequests.classifiers(projectId));
  const classifierId = parameters.get("classifierId") ?? known[0]?.id;
  const [attempts, setAttempts] = useState<readonly Attempt[]>([]);
  const sent = useRef(0);
  useQuestionBeforeLeaving(
    attempts.some(({ state }) => state.kind === "sending"),
    "page",
    texts.tryIt.leave,
  );

  const send = async (files: readonly File[]): Promise<void> => {
    if (classifierId === undefined) return;
    const begun = files.map((file) => ({ key: String((sent.current += 1)), file }));
    setAttempts((before) => [
      ...begun.map(({ key, file }): Attempt => ({ key, filename: file.name, state: { kind: "sending" } })),
      ...before,
    ]);
    const waiting = [...begun];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { key, file } = next;
        const state: Attempt["state"] = await client
          .classify({ classifierId, file, explain: true })
          .then((record) => ({ kind: "decided" as const, record }))
          .catch((error: unknown) => ({ kind: "failed" as const, error }));
        setAttempts((before) => before.map((each) => (each.key === key ? { ...each, state } : each)));
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
  };

  return (
    <Stack>
      <PageTitle>{texts.pages.tryIt}</PageTitle>
      {query.data === undefined ? (
        // Documents that are dropped before a classifier is known would be lost.
        <Waiting error={query.error} retry={() => void query.refetch()} />
      ) : known.length === 0 ? (
        <Text>
          {texts.tryIt.noClassifier}{" "}
          <Anchor component={Link} href={`~/console/projects/${projectId}/classifiers`}>
            {texts.pages.classifiers}
          </Anchor>
        </Text>
      ) : (
        <>
          <ClassifierChoice
            projectId={projectId}
            label={texts.tryIt.classifier}
            value={classifierId ?? null}
            onChange={(id) => id !== null && setParameters({ classifierId: id }, { replace: true })}
            maw={400}
          />
          <Dropzone onFiles={(files) => void send(files)} />
          {attempts.length > 0 && (
            <Group>
              <Button variant="default" size="compact-sm" onClick={() => setAttempts([])}>
                {texts.tryIt.clear}
              </Button>
            </Group>
          )}
          <Outcomes projectId={projectId} attempts={attempts} />
        </>
      )}
    </Stack>
  );
}
