import { Alert, Box, Button, Center, Group, Loader, Pagination, SegmentedControl, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { firstRequests } from "../api/first-requests.ts";
import { Problem } from "../api/problem.tsx";
import { useCall } from "../api/queries.ts";
import { toScrolling } from "../controls/scrolling.ts";
import { useSession } from "../session/session.ts";
import { downloadBytes } from "../table/export.ts";
import { texts } from "../texts/index.ts";
import { splitAtQuotes } from "./marks.ts";
import type { Mark } from "./marks.ts";
import { useNextPicture, usePagePicture } from "./page-picture.ts";
import classes from "./document-view.module.css";

/** What the view shows: a file, the places of its values, and the value that is being looked at. */
export interface DocumentViewProps {
  readonly fileId: string;
  readonly marks: readonly Mark[];
  readonly selected: string | undefined;
  /** Called when a place is chosen. */
  readonly onSelect: (key: string) => void;
}

/** A document, page by page, as a picture with a box at each value, or as text. Only the page in view is requested. */
export function DocumentView({ fileId, marks, selected, onSelect }: DocumentViewProps) {
  const selectedPage = marks.find(({ key }) => key === selected)?.page;
  const [page, setPage] = useState(selectedPage ?? 1);
  const [wanted, setWanted] = useState<"picture" | "text">("picture");
  const text = useCall(...firstRequests.fileText(fileId));
  const file = useCall(...firstRequests.file(fileId));
  const original = useDownload();
  const picture = usePagePicture(fileId, page, file.data?.contentType);
  useEffect(() => {
    if (typeof selectedPage === "number") setPage(selectedPage);
  }, [selectedPage, selected]);
  const pages = text.data?.pages ?? [];
  const hasPicture = typeof picture.address === "string";
  const problem = file.error ?? picture.error ?? null;
  const shown = picture.address === null ? "text" : wanted;
  useNextPicture(fileId, page + 1, file.data?.contentType, hasPicture && page < pages.length);
  const onPage = marks.filter((mark) => mark.page === page);
  const current = pages.find(({ number }) => number === page);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <SegmentedControl
          aria-label={texts.document.view}
          value={shown}
          onChange={(value) => setWanted(value === "text" ? "text" : "picture")}
          data={[
            { value: "picture", label: texts.document.picture, disabled: picture.address === null },
            { value: "text", label: texts.document.text },
          ]}
        />
        <Button
          size="compact-sm"
          variant="subtle"
          loading={original.isPending}
          onClick={() => original.mutate({ fileId })}
        >
          {texts.document.original}
        </Button>
        {pages.length > 1 && (
          <Pagination
            total={pages.length}
            value={page}
            onChange={setPage}
            size="sm"
            siblings={0}
            getControlProps={(control) => ({ "aria-label": texts.document.control(control) })}
            getItemProps={(number) => ({ "aria-label": texts.document.page(number) })}
          />
        )}
      </Group>
      <Problem error={original.error} />
      <Hidden count={current?.hidden.length ?? 0} words={current?.hidden.map((each) => each.text) ?? []} />
      {shown === "picture" ? (
        <>
          {picture.address === undefined && problem === null && (
            <Center p="xl">
              <Loader aria-label={texts.table.loading} />
            </Center>
          )}
          <Problem error={problem} retry={() => void (file.error === null ? picture.refetch() : file.refetch())} />
          {hasPicture && (
            <Picture address={picture.address ?? ""} page={page} {...{ marks: onPage, selected, onSelect }} />
          )}
        </>
      ) : (
        <>
          <Problem error={text.error} retry={() => void text.refetch()} />
          <PageText text={current?.text ?? ""} {...{ marks: onPage, selected, onSelect }} />
        </>
      )}
    </Stack>
  );
}

type MarksProps = Omit<DocumentViewProps, "fileId">;

/** The boxes are for the eye and the pointer. By keyboard, and for screen readers, the fields of the values do the same. */
function Picture({ address, page, marks, selected, onSelect }: MarksProps & { address: string; page: number }) {
  return (
    <Box className={classes.sheet}>
      <img src={address} alt={texts.document.page(page)} className={classes.picture} />
      {marks.map(({ key, label, quote, box }) =>
        box === null ? null : (
          <div
            key={key}
            aria-hidden="true"
            className={classes.box}
            data-selected={key === selected}
            title={quote === null ? label : texts.document.place(label, quote)}
            onClick={() => onSelect(key)}
            style={{
              left: `${box.x * 100}%`,
              top: `${box.y * 100}%`,
              width: `${box.width * 100}%`,
              height: `${box.height * 100}%`,
            }}
          />
        ),
      )}
    </Box>
  );
}

function PageText({ text, marks, selected, onSelect }: MarksProps & { text: string }) {
  return (
    <Text component="pre" className={classes.text} tabIndex={0} aria-label={texts.document.text} role="region">
      {splitAtQuotes(text, marks).map(({ text: part, key }, index) =>
        key === undefined ? (
          <span key={index}>{part}</span>
        ) : (
          <mark key={index} data-selected={key === selected} className={classes.mark} onClick={() => onSelect(key)}>
            {part}
          </mark>
        ),
      )}
    </Text>
  );
}

/** Says that the page has text which a person cannot see, and shows it on request. */
function Hidden({ count, words }: { count: number; words: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  if (count === 0) return null;
  return (
    <Alert color="orange" variant="light" title={texts.document.hidden}>
      <Button size="compact-sm" variant="default" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
        {texts.document.showHidden}
      </Button>
      {isOpen && (
        <Text component="pre" className={classes.text} {...toScrolling(texts.document.hidden)}>
          {words.join("\n")}
        </Text>
      )}
    </Alert>
  );
}

/** Downloads a file as it was uploaded. */
function useDownload() {
  const { client } = useSession();
  return useMutation({
    mutationFn: ({ fileId }: { fileId: string }) => client.getFileContent({ fileId }),
    onSuccess: ({ bytes, filename, contentType }) => downloadBytes(filename, contentType, bytes),
  });
}
