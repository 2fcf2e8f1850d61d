import { ActionIcon, AppShell, Anchor, Burger, Button, Group, Select, Text } from "@mantine/core";
import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useLayoutEffect, useState } from "react";
import { Router, useLocation } from "wouter";
import type { CallLog } from "../api/call-log.ts";
import { useCall } from "../api/queries.ts";
import { createUnsaved, UnsavedContext, useUnsaved } from "../controls/unsaved.ts";
import { useSession } from "../session/session.ts";
import { texts } from "../texts/index.ts";
import { CallsMenu } from "./calls-menu.tsx";
import { Content } from "./content.tsx";
import { Navigation } from "./navigation.tsx";
import { useProject } from "./project.ts";

/** The frame around the pages: the project, the navigation, the calls of the page, and the sign-out. */
export function Shell({ log }: { log: CallLog }) {
  const [unsaved] = useState(createUnsaved);
  return (
    <UnsavedContext.Provider value={unsaved}>
      <Router base="/console" aroundNav={unsaved.navigate}>
        <Frame log={log} />
      </Router>
    </UnsavedContext.Provider>
  );
}

function Frame({ log }: { log: CallLog }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [location] = useLocation();
  const projects = useCall("listProjects", {});
  const { projectId, choose } = useProject(projects.data?.data);
  // Before the calls of the next page, which begin after its layout.
  useLayoutEffect(() => {
    log.open(location);
    close();
  }, [location, log, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 210, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a href="#content" className="skip" onClick={() => document.getElementById("content")?.focus()}>
        {texts.shell.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" miw={0}>
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={texts.shell.menu} />
            <Text fw={700} flex="none" visibleFrom="sm">
              Switchyard
            </Text>
            <Select
              aria-label={texts.shell.project}
              data={(projects.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              value={projectId ?? null}
              onChange={(id) => id !== null && choose(id)}
              placeholder={texts.shell.noProjects}
              allowDeselect={false}
              searchable
              w={240}
              miw={0}
            />
          </Group>
          <Actions log={log} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label={texts.shell.navigation}>
        <Navigation projectId={projectId} location={location} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Content projectId={projectId} projects={projects} />
      </AppShell.Main>
    </AppShell>
  );
}

function Actions({ log }: { log: CallLog }) {
  const session = useSession();
  const { mayLeave } = useUnsaved();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  const label = isDark ? texts.shell.light : texts.shell.dark;
  return (
    <Group wrap="nowrap" gap="xs">
      <CallsMenu log={log} />
      <Anchor href="/docs" visibleFrom="md" size="sm">
        {texts.shell.reference}
      </Anchor>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={label}
        title={label}
        onClick={() => setColorScheme(isDark ? "light" : "dark")}
      >
        <span aria-hidden="true">{isDark ? "☀" : "☾"}</span>
      </ActionIcon>
      <Button variant="default" size="sm" onClick={() => mayLeave() && session.end()}>
        {texts.shell.signOut}
      </Button>
    </Group>
  );
}
