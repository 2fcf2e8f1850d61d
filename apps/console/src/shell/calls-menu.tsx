import { Button, Code, CopyButton, Group, Popover, ScrollArea, Stack, Text } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { toCommand, toCurl } from "../api/call-log.ts";
import type { CallLog } from "../api/call-log.ts";
import { texts } from "../texts/index.ts";
import classes from "./calls-menu.module.css";

/** The calls behind the open page, each to be copied as a command line. */
export function CallsMenu({ log }: { log: CallLog }) {
  const calls = useSyncExternalStore(log.subscribe, log.list);
  return (
    <Popover width={440} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default" size="sm" visibleFrom="sm">
          {texts.shell.calls}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" mb="xs">
          {texts.shell.callsHint}
        </Text>
        <ScrollArea.Autosize mah={400} scrollbars="y" viewportProps={{ tabIndex: 0 }}>
          <Stack gap="xs">
            {calls.map((call) => (
              <div key={`${call.method} ${call.path} ${call.body}`}>
                <Code block className={classes.call}>{`${call.method} ${call.path}`}</Code>
                <Group gap="xs">
                  <Copy label={texts.shell.copyCurl} text={toCurl(location.origin, call)} />
                  <Copy label={texts.shell.copyCommand} text={toCommand(location.origin, call)} />
                </Group>
              </div>
            ))}
          </Stack>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}

function Copy({ label, text }: { label: string; text: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="subtle" onClick={copy}>
          {copied ? texts.shell.copied : label}
        </Button>
      )}
    </CopyButton>
  );
}
