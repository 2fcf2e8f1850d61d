import { ActionIcon, AppShell, Anchor, Box, Burger, Button, Group, Select, Stack, Text } from "@mantine/core";
import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useLayoutEffect, useRef, useState } from "react";
import { Router, useLocation } from "wouter";
import type { CallLog } from "../api/call-log.ts";
import { useCall } from "../api/queries.ts";
import { ProjectNameContext } from "../controls/page-title.tsx";
import { useUnsaved } from "../controls/unsaved.ts";
import { useSession } from "../session/session.ts";
import { texts } from "../texts/index.ts";
import { CallsMenu } from "./calls-menu.tsx";
import { Content } from "./content.tsx";
import { Navigation } from "./navigation.tsx";
import { createPlace } from "./place.ts";
import type { Place } from "./place.ts";
import { useProject } from "./project.ts";

/** The frame around the pages: the project, the navigation, the calls of the page, and the sign-out. */
export function Shell({ log }: { log: CallLog }) {
  const unsaved = useUnsaved();
  const [place] = useState(() => createPlace(unsaved.mayTraverse));
  return (
    <Router base="/console" hook={place.usePathname} searchHook={place.useSearch} aroundNav={unsaved.navigate}>
      <Frame log={log} place={place} />
    </Router>
  );
}

function Frame({ log, place }: { log: CallLog; place: Place }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [location] = useLocation();
  const projects = useCall("listProjects", {});
  const { projectId, choose } = useProject(projects.data?.data);
  const shownProject = location.startsWith("/projects/")
    ? projects.data?.data.find(({ id }) => id === projectId)?.name
    : undefined;
  useStart(location, place);
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
      <a
        href="#content"
        className="skip"
        onClick={(event) => {
          // The fragment would be an entry of the history that leads nowhere.
          event.preventDefault();
          document.getElementById("content")?.focus();
        }}
      >
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
        {/* A narrow or enlarged window has no place for them in the header. */}
        <Stack hiddenFrom="md" mt="md" gap="xs" align="flex-start">
          <Box hiddenFrom="sm">
            <CallsMenu log={log} />
          </Box>
          <Anchor href="/docs" size="sm">
            {texts.shell.reference}
          </Anchor>
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <ProjectNameContext.Provider value={shownProject}>
          <Content projectId={projectId} projects={projects} />
        </ProjectNameContext.Provider>
      </AppShell.Main>
    </AppShell>
  );
}

/**
 * Lets another page start where pages start: at its top, and with the keyboard on it, if the control that led there is gone with the page
 * before, or was in the navigation. A link between parts of a page, or the choice of a project, keeps the keyboard.
 */
function useStart(location: string, place: Place): void {
  const before = useRef(location);
  useLayoutEffect(() => {
    if (before.current === location) return;
    before.current = location;
    if (!place.isTraversed()) scrollTo(0, 0);
    const { activeElement: active } = document;
    const isGone = active === null || active === document.body || active.getClientRects().length === 0;
    if (isGone || active.closest(".mantine-AppShell-navbar") !== null)
      document.getElementById("content")?.focus({ preventScroll: true });
  }, [location, place]);
}

function Actions({ log }: { log: CallLog }) {
  const session = useSession();
  const { mayLeave } = useUnsaved();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  const label = isDark ? texts.shell.light : texts.shell.dark;
  return (
    <Group wrap="nowrap" gap="xs">
      <Box visibleFrom="sm">
        <CallsMenu log={log} />
      </Box>
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
