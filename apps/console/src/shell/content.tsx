import { Anchor, Center, Loader, Text } from "@mantine/core";
import type { ListProjectsResponse } from "@switchyard/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { Suspense } from "react";
import type { ReactNode } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { Problem } from "../api/problem.tsx";
import { FailureBoundary } from "../pages/failure-boundary.tsx";
import { isOffered, organizationPages, projectPages } from "../pages/pages.ts";
import { usePermissions } from "../session/session.ts";
import { PageTitle } from "../controls/page-title.tsx";
import { texts } from "../texts/index.ts";
import { Preloading } from "./preloading.ts";

/** The page of the address. Without a page in the address, it is the first one that the caller may see. */
export function Content({
  projectId,
  projects,
}: {
  projectId: string | undefined;
  projects: UseQueryResult<ListProjectsResponse>;
}) {
  const may = usePermissions();
  const [location] = useLocation();
  const loading = (
    <Center p="xl">
      <Loader aria-label={texts.table.loading} />
    </Center>
  );
  // A page that is open stays if the server is unavailable, with everything that was entered in it.
  if (projects.error !== null && projects.data === undefined)
    return <Problem error={projects.error} retry={() => void projects.refetch()} />;
  if (projects.isPending) return loading;
  const ofProject = projectPages.filter((page) => isOffered(page, may));
  const ofOrganization = organizationPages.filter((page) => isOffered(page, may));
  const first = ofProject[0];
  return (
    <FailureBoundary place={location}>
      <Suspense fallback={loading}>
        <Switch>
          {ofProject.map(({ slug, page: { Shown } }) => (
            <Route key={slug} path={`/projects/:projectId/${slug}`} nest>
              {(parameters: { projectId: string }) => (
                <Shown key={parameters.projectId} projectId={parameters.projectId} />
              )}
            </Route>
          ))}
          {ofOrganization.map(({ slug, page: { Shown } }) => (
            <Route key={slug} path={`/${slug}`} nest>
              <Shown />
            </Route>
          ))}
          {first !== undefined && (
            <Route path="/projects/:projectId">
              {(parameters) => <Redirect to={`/projects/${parameters.projectId}/${first.slug}`} replace />}
            </Route>
          )}
          <Route path="/">
            {projectId === undefined || first === undefined ? (
              <Missing title={texts.shell.noProjects} hint={texts.shell.noProjectsHint}>
                {may("organization:admin") && (
                  <Anchor component={Link} href="/administration/projects">
                    {texts.shell.toProjects}
                  </Anchor>
                )}
              </Missing>
            ) : (
              <Redirect to={`/projects/${projectId}/${first.slug}`} replace />
            )}
          </Route>
          <Route>
            <Missing title={texts.pages.missing} hint={texts.pages.missingHint} />
          </Route>
        </Switch>
        {location !== "/" && <Preloading />}
      </Suspense>
    </FailureBoundary>
  );
}

function Missing({ title, hint, children }: { title: string; hint: string; children?: ReactNode }) {
  return (
    <>
      <PageTitle>{title}</PageTitle>
      <Text my="sm">{hint}</Text>
      {children}
    </>
  );
}
