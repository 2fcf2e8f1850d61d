import { Button, Group, Menu, Stack, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { formatBytes } from "../../format/figures.ts";
import { useSession } from "../../session/session.ts";
import { downloadBlob } from "../../table/export.ts";
import { texts } from "../../texts/index.ts";
import { formats, largeBytes, receiveValues, toFilename } from "./download.ts";
import type { Format } from "./download.ts";
import type { Selection } from "./filters.ts";

const text = texts.values.download;

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "receiving"; readonly bytes: number }
  | { readonly kind: "done"; readonly filename: string; readonly bytes: number }
  | { readonly kind: "failed"; readonly error: unknown };

/** Downloads all rows that the filters select. */
export function Downloads({ selection, name }: { selection: Selection; name: string }) {
  const { client } = useSession();
  const [state, setState] = useState<State>({ kind: "idle" });
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (format: Format): Promise<void> => {
    const ending = new AbortController();
    running.current = ending;
    setState({ kind: "receiving", bytes: 0 });
    try {
      const show = (bytes: number): void => setState({ kind: "receiving", bytes });
      const blob = await receiveValues(client, selection, format, ending.signal, show);
      const filename = toFilename(name, selection.table, format);
      downloadBlob(filename, blob);
      setState({ kind: "done", filename, bytes: blob.size });
    } catch (error) {
      setState(ending.signal.aborted ? { kind: "idle" } : { kind: "failed", error });
    }
  };
  return (
    <Stack gap={4} align="flex-end">
      <Menu>
        <Menu.Target>
          <Button variant="default" loading={state.kind === "receiving"}>
            {text.menu}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label c="dimmed">{text.hint}</Menu.Label>
          {(Object.keys(formats) as Format[]).map((format) => (
            <Menu.Item key={format} onClick={() => void start(format)}>
              {text.formats[format]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <div role="status">
        <Progress state={state} onCancel={() => running.current?.abort()} />
      </div>
      {state.kind === "failed" && <Problem error={state.error} />}
    </Stack>
  );
}

function Progress({ state, onCancel }: { state: State; onCancel: () => void }) {
  if (state.kind === "done") return <Text size="sm">{text.done(state.filename, formatBytes(state.bytes))}</Text>;
  if (state.kind !== "receiving") return null;
  return (
    <Stack gap={4} align="flex-end" maw={420}>
      <Group gap="xs">
        <Text size="sm">{text.progress(formatBytes(state.bytes))}</Text>
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          {text.cancel}
        </Button>
      </Group>
      {state.bytes >= largeBytes && <Text size="sm">{text.large}</Text>}
    </Stack>
  );
}
