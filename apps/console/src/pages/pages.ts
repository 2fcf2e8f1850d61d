import { firstRequests } from "../api/first-requests.ts";
import { prefetchCall, prefetchItems } from "../api/queries.ts";
import type { Prefetch } from "../api/queries.ts";
import { texts } from "../texts/index.ts";
import { diagram } from "./classifiers/routes/deferred-diagram.ts";
import { defer } from "./deferred.tsx";
import { prefetchValues } from "./values/first-values.ts";
import type { Deferred } from "./deferred.tsx";
import type { ProjectPageProps } from "./project-page.ts";

/** A page in the navigation. */
export interface PageEntry<Props> {
  /** The page's part of the address. */
  readonly slug: string;
  readonly title: string;
  /** The permission without which the page is not offered, or several of which one suffices; undefined if it needs none. */
  readonly permission: string | readonly string[] | undefined;
  readonly page: Deferred<Props>;
  /** What the page requests first, given the ID of the project. It is requested as soon as someone points to the link. */
  readonly first?: (projectId: string) => readonly Prefetch[];
}

/** The pages of a project, in the order of the navigation. */
export const projectPages: readonly PageEntry<ProjectPageProps>[] = [
  {
    slug: "inbox",
    title: texts.pages.inbox,
    permission: "documents:read",
    page: defer(async () => (await import("./inbox/inbox.tsx")).Inbox),
    first: (projectId) => [prefetchItems(...firstRequests.review(projectId))],
  },
  {
    slug: "try-it",
    title: texts.pages.tryIt,
    permission: "classify",
    page: defer(async () => (await import("./try-it/try-it.tsx")).TryIt),
    first: (projectId) => [prefetchItems(...firstRequests.classifiers(projectId))],
  },
  {
    slug: "classifiers",
    title: texts.pages.classifiers,
    permission: "models:read",
    page: defer(async () => (await import("./classifiers/classifiers.tsx")).Classifiers),
    first: (projectId) => [prefetchItems(...firstRequests.classifiers(projectId))],
  },
  {
    slug: "models",
    title: texts.pages.models,
    permission: "models:read",
    page: defer(async () => (await import("./models/models.tsx")).Models),
    first: (projectId) => [prefetchCall(...firstRequests.models(projectId))],
  },
  {
    slug: "benchmarks",
    title: texts.pages.benchmarks,
    permission: "benchmarks:read",
    page: defer(async () => (await import("./benchmarks/benchmarks.tsx")).Benchmarks),
    first: (projectId) => [prefetchCall(...firstRequests.runs(projectId))],
  },
  {
    slug: "values",
    title: texts.pages.values,
    permission: "documents:read",
    page: defer(async () => (await import("./values/values.tsx")).Values),
    first: (projectId) => [prefetchValues(projectId)],
  },
];

/** The pages of the organization. */
export const organizationPages: readonly PageEntry<Record<never, never>>[] = [
  {
    slug: "administration",
    title: texts.pages.administration,
    permission: ["organization:admin", "tokens:admin"],
    page: defer(async () => (await import("./administration/administration.tsx")).Administration),
  },
];

/** Whether a page is offered to a caller who has the permissions for which `may` returns true. */
export function isOffered(
  { permission }: Pick<PageEntry<never>, "permission">,
  may: (permission: string) => boolean,
): boolean {
  if (permission === undefined) return true;
  return typeof permission === "string" ? may(permission) : permission.some(may);
}

/** The code that pages load besides their own, to show a part of them. */
export const parts: readonly Pick<Deferred<never>, "load">[] = [diagram];
