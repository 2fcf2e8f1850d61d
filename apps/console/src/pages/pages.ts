import { lazy } from "react";
import type { ComponentType } from "react";
import { texts } from "../texts/index.ts";

/** What every page of a project gets. */
export interface ProjectPageProps {
  readonly projectId: string;
}

/** A page in the navigation. Its code is loaded when it is opened. */
export interface PageEntry<Props> {
  /** The page's part of the address. */
  readonly slug: string;
  readonly title: string;
  /** The permission without which the page is not offered, or several of which one suffices; undefined if it needs none. */
  readonly permission: string | readonly string[] | undefined;
  readonly Page: ComponentType<Props>;
}

/** The pages of a project, in the order of the navigation. */
export const projectPages: readonly PageEntry<ProjectPageProps>[] = [
  {
    slug: "inbox",
    title: texts.pages.inbox,
    permission: "documents:read",
    Page: lazy(async () => ({ default: (await import("./inbox/inbox.tsx")).Inbox })),
  },
  {
    slug: "try-it",
    title: texts.pages.tryIt,
    permission: "classify",
    Page: lazy(async () => ({ default: (await import("./try-it/try-it.tsx")).TryIt })),
  },
  {
    slug: "classifiers",
    title: texts.pages.classifiers,
    permission: "models:read",
    Page: lazy(async () => ({ default: (await import("./classifiers/classifiers.tsx")).Classifiers })),
  },
  {
    slug: "models",
    title: texts.pages.models,
    permission: "models:read",
    Page: lazy(async () => ({ default: (await import("./models/models.tsx")).Models })),
  },
  {
    slug: "benchmarks",
    title: texts.pages.benchmarks,
    permission: "benchmarks:read",
    Page: lazy(async () => ({ default: (await import("./benchmarks/benchmarks.tsx")).Benchmarks })),
  },
  {
    slug: "values",
    title: texts.pages.values,
    permission: "documents:read",
    Page: lazy(async () => ({ default: (await import("./values/values.tsx")).Values })),
  },
];

/** The pages of the organization. */
export const organizationPages: readonly PageEntry<Record<never, never>>[] = [
  {
    slug: "administration",
    title: texts.pages.administration,
    permission: ["organization:admin", "tokens:admin"],
    Page: lazy(async () => ({ default: (await import("./administration/administration.tsx")).Administration })),
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
