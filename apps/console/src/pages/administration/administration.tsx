import { Stack, Text, Title } from "@mantine/core";
import type { ComponentType } from "react";
import { Redirect, Route, Switch } from "wouter";
import { useLocation } from "wouter";
import { firstRequests } from "../../api/first-requests.ts";
import { prefetchItems } from "../../api/queries.ts";
import type { Prefetch } from "../../api/queries.ts";
import { SectionLinks } from "../../controls/sections.tsx";
import { usePermissions } from "../../session/session.ts";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import { Audit } from "./audit/audit.tsx";
import { Engines } from "./engines.tsx";
import { Health } from "./health.tsx";
import { Projects } from "./projects/projects.tsx";
import { Teams } from "./teams/teams.tsx";
import { Tokens } from "./tokens/tokens.tsx";
import { Users } from "./users.tsx";

const text = texts.administration;

/** A part of the administration, and the permission that it needs. */
interface Part {
  readonly slug: string;
  readonly title: string;
  readonly permission: string | undefined;
  readonly Body: ComponentType;
  /** What it requests first. */
  readonly first?: readonly Prefetch[];
}

const parts: readonly Part[] = [
  { slug: "projects", title: text.projects, permission: "organization:admin", Body: Projects },
  { slug: "teams", title: text.teams, permission: "organization:admin", Body: Teams },
  { slug: "users", title: text.users, permission: "organization:admin", Body: Users },
  {
    slug: "tokens",
    title: text.tokens,
    permission: "tokens:admin",
    Body: Tokens,
    first: [prefetchItems(...firstRequests.tokens())],
  },
  {
    slug: "audit",
    title: text.audit,
    permission: "organization:admin",
    Body: Audit,
    first: [prefetchItems(...firstRequests.audit())],
  },
  { slug: "engines", title: text.engines, permission: "models:read", Body: Engines },
  { slug: "health", title: text.health, permission: undefined, Body: Health },
];

/** The administration of the organization. Each part has its own address, and parts that the token may not use are not offered. */
export function Administration() {
  const may = usePermissions();
  const [location] = useLocation();
  const offered = parts.filter(({ permission }) => permission === undefined || may(permission));
  const open = offered.find(({ slug }) => location === `/${slug}`);
  return (
    <Stack>
      <PageTitle part={open?.title}>{texts.pages.administration}</PageTitle>
      <SectionLinks
        name={text.sections}
        sections={offered.map(({ slug, title, first }) => ({
          href: `/${slug}`,
          title,
          isCurrent: location === `/${slug}`,
          ...(first !== undefined && { first }),
        }))}
      />
      <Switch>
        {offered.map(({ slug, title, Body }) => (
          <Route key={slug} path={`/${slug}`}>
            <Title order={2} size="h4">
              {title}
            </Title>
            <Body />
          </Route>
        ))}
        <Route path="/">
          <Redirect to={`/${offered[0]?.slug ?? "health"}`} replace />
        </Route>
        <Route>
          <Text>{texts.pages.missing}</Text>
        </Route>
      </Switch>
    </Stack>
  );
}
