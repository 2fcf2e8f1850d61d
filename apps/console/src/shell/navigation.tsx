import { NavLink } from "@mantine/core";
import { Link } from "wouter";
import { useAhead } from "../api/prefetching.ts";
import { isOffered, organizationPages, projectPages } from "../pages/pages.ts";
import { usePermissions } from "../session/session.ts";

/**
 * The links to the pages that the caller may see. What a page shows first is requested as soon as someone points to its link, or reaches it by
 * keyboard.
 */
export function Navigation({ projectId, location }: { projectId: string | undefined; location: string }) {
  const may = usePermissions();
  const ahead = useAhead();
  const ofProject = projectPages.map((page) => ({
    ...page,
    path: projectId && `/projects/${projectId}/${page.slug}`,
    first: projectId === undefined ? [] : page.first?.(projectId),
  }));
  const ofOrganization = organizationPages.map((page) => ({ ...page, path: `/${page.slug}`, first: [] }));
  return (
    <>
      {[...ofProject, ...ofOrganization].map(({ title, permission, path, first = [] }) =>
        path === undefined || path === "" || !isOffered({ permission }, may) ? null : (
          <NavLink
            key={path}
            component={Link}
            href={path}
            label={title}
            variant="filled"
            active={location === path || location.startsWith(`${path}/`)}
            aria-current={location.startsWith(path) ? "page" : undefined}
            {...ahead(path, location === path ? [] : first)}
          />
        ),
      )}
    </>
  );
}
