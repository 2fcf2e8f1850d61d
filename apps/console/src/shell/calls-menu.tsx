import { Button, Code, Group, Popover, ScrollArea, Stack, Text } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { toCommand, toCurl } from "../api/call-log.ts";
import type { CallLog } from "../api/call-log.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { toScrolling } from "../controls/scrolling.ts";
import { texts } from "../texts/index.ts";
import classes from "./calls-menu.module.css";

const small = { size: "compact-xs", variant: "subtle" };

/** The calls behind the open page, each to be copied as a command line. */
export function CallsMenu({ log }: { log: CallLog }) {
  const calls = useSyncExternalStore(log.subscribe, log.list);
  return (
    <Popover width={440} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default" size="sm">
          {texts.shell.calls}
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 2rem)">
        <Text size="sm" mb="xs">
          {texts.shell.callsHint}
        </Text>
        <ScrollArea.Autosize mah={400} scrollbars="y" viewportProps={toScrolling(texts.shell.calls)}>
          <Stack gap="xs">
            {calls.map((call) => (
              <div key={`${call.method} ${call.path} ${call.body}`}>
                <Code block className={classes.call}>{`${call.method} ${call.path}`}</Code>
                <Group gap="xs">
                  <CopyButton {...small} label={texts.shell.copyCurl} text={toCurl(location.origin, call)} />
                  <CopyButton {...small} label={texts.shell.copyCommand} text={toCommand(location.origin, call)} />
                </Group>
              </div>
            ))}
          </Stack>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
