import { Alert, Anchor, Button, Grid, Group, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import type { Configuration, Extraction } from "@switchyard/client";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { Problem } from "../../api/problem.tsx";
import { useCall, useChange } from "../../api/queries.ts";
import { Waiting } from "../../api/waiting.tsx";
import { EngineFacts } from "../../controls/engine-facts.tsx";
import { useQuestionBeforeLeaving } from "../../controls/unsaved.ts";
import { DocumentView } from "../../document/document-view.tsx";
import type { Mark } from "../../document/marks.ts";
import { usePermissions } from "../../session/session.ts";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import { CellFields } from "./cell-fields.tsx";
import { toCellTables, toCorrections } from "./cells.ts";
import { Keys } from "./keys.tsx";
import { useNext } from "./next-item.ts";
import { unlessHeld } from "./review-keys.ts";

/** Which extraction is reviewed. */
export interface ExtractionReviewProps {
  readonly projectId: string;
  readonly extractionId: string;
}

/** An extracted document beside its values, each with its place on the page, to be corrected and accepted. */
export function ExtractionReview({ projectId, extractionId }: ExtractionReviewProps) {
  const extraction = useCall(
    "getExtraction",
    { extractionId },
    { repeatMs: (latest) => latest?.status === "RUNNING" && 5_000 },
  );
  const { data } = extraction;
  const file = useCall("getFile", { fileId: data?.fileId ?? "" }, { enabled: data !== undefined });
  const schema = useCall(
    "getConfiguration",
    { deploymentId: data?.extractionSchemaId ?? "" },
    { enabled: data !== undefined },
  );
  const next = useNext(projectId, extractionId);
  if (data === undefined || schema.data === undefined)
    return (
      <Stack>
        <PageTitle>{texts.pages.inbox}</PageTitle>
        <Waiting
          error={extraction.error ?? schema.error}
          retry={() => void (extraction.error === null ? schema : extraction).refetch()}
        />
      </Stack>
    );
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle part={texts.inbox.kinds.EXTRACTION} size="h3">
          {file.data?.filename ?? texts.inbox.extraction}
        </PageTitle>
        <Group>
          <Anchor component={Link} href="/?list=extractions">
            {texts.review.back}
          </Anchor>
          <Button variant="default" onClick={next}>
            {texts.review.next}
          </Button>
        </Group>
      </Group>
      {data.status === "RUNNING" && <Alert role="status">{texts.review.running}</Alert>}
      {data.status === "FAILED" && (
        <Alert color="red" title={texts.review.failed}>
          {data.error?.message}
        </Alert>
      )}
      <Values extraction={data} schema={schema.data} onNext={next} />
    </Stack>
  );
}

function Values({ extraction, schema, onNext }: { extraction: Extraction; schema: Configuration; onNext: () => void }) {
  const may = usePermissions();
  const accept = useChange("acceptExtraction");
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [added, setAdded] = useState<Readonly<Record<string, number>>>({});
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const forget = useQuestionBeforeLeaving(Object.keys(typed).length > 0);
  const tables = useMemo(() => toCellTables(schema, extraction, added), [schema, extraction, added]);
  const cells = tables.flatMap(({ rows }) => rows.flat());
  const marks = cells.map(({ mark }) => mark).filter((mark): mark is Mark => mark !== undefined);
  const corrections = toCorrections(cells, typed);
  const canAccept = may("documents:write") && extraction.status === "COMPLETED";
  const submit = (): void => {
    if (!canAccept || corrections === undefined || accept.isPending) return;
    accept.mutate(
      { extractionId: extraction.id, corrections },
      {
        onSuccess() {
          forget();
          onNext();
        },
      },
    );
  };
  // Even while a field has the keyboard focus.
  useHotkeys(
    [
      ["mod+Enter", unlessHeld(submit)],
      ["alt+N", unlessHeld(onNext)],
      // With this key, Macs type a character of their own.
      [
        "alt+N",
        unlessHeld((event) => (event.key.toLowerCase() === "n" ? undefined : onNext())),
        { usePhysicalKeys: true },
      ],
    ],
    [],
  );
  const select = (key: string): void => {
    setSelected(key);
    document.getElementById(`cell-${key}`)?.focus();
  };
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <DocumentView fileId={extraction.fileId} marks={marks} selected={selected} onSelect={select} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack>
          {extraction.warnings.map(({ code, message }) => (
            <Alert key={code + message} color="orange" variant="light" title={texts.review.warnings}>
              {message}
            </Alert>
          ))}
          {tables.map((table) => (
            <CellFields
              key={table.slug}
              table={table}
              typed={typed}
              // What is entered after that would not be accepted.
              isReadOnly={!canAccept || accept.isPending}
              onSelect={setSelected}
              onType={(key, text) => setTyped((before) => withText(before, key, text))}
              onAddRow={() => setAdded((before) => ({ ...before, [table.slug]: (before[table.slug] ?? 0) + 1 }))}
            />
          ))}
          {canAccept && (
            <>
              <Group>
                <Button onClick={submit} loading={accept.isPending} disabled={corrections === undefined}>
                  {corrections === undefined || corrections.length === 0
                    ? texts.review.accept
                    : texts.review.acceptCorrected(corrections.length)}
                </Button>
              </Group>
              <Problem error={accept.error} />
              {accept.isSuccess && <Text role="status">{texts.review.accepted}</Text>}
              <Keys list={texts.review.extractionKeyList} />
            </>
          )}
          <div>
            <EngineFacts engine={extraction.engine} usage={extraction.usage} />
          </div>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

/** Returns the typed texts with another one; undefined removes it. */
function withText(
  typed: Readonly<Record<string, string>>,
  key: string,
  text: string | undefined,
): Readonly<Record<string, string>> {
  const { [key]: _, ...others } = typed;
  return text === undefined ? others : { ...others, [key]: text };
}
