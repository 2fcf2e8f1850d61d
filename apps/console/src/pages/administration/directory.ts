import type { Project, Team, User } from "@switchyard/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { useAllItems, useCall } from "../../api/queries.ts";
import { usePermissions, useSession } from "../../session/session.ts";

/** All teams of the organization. A caller without `organization:admin` may not list them, and gets none. */
export function useTeams(): UseQueryResult<readonly Team[]> {
  return useAllItems("listTeams", {}, { enabled: usePermissions()("organization:admin") });
}

/** All users of the organization. A caller without `organization:admin` may not list them, and gets none. */
export function useUsers(): UseQueryResult<readonly User[]> {
  return useAllItems("listUsers", {}, { enabled: usePermissions()("organization:admin") });
}

/** The names of what IDs stand for. What the caller may not list has its ID for a name. */
export interface Directory {
  readonly projects: readonly Project[];
  readonly teams: readonly Team[];
  readonly users: readonly User[];
  readonly nameOf: (id: string) => string;
}

/** The names of projects, teams and users. */
export function useDirectory(): Directory {
  const { me } = useSession();
  const projects = useCall("listProjects", {}).data?.data ?? [];
  const teams = useTeams().data ?? [];
  const users = useUsers().data ?? [];
  const own = [me.user, me.organization].filter((each) => each !== null);
  const names = new Map([...own, ...projects, ...teams, ...users].map(({ id, name }) => [id, name]));
  return { projects, teams, users, nameOf: (id) => names.get(id) ?? id };
}

/** Returns the choices of a list of named things. IDs that are chosen but not listed remain choices, so that saving keeps them. */
export function toChoices(
  items: readonly { readonly id: string; readonly name: string }[],
  chosen: readonly string[],
): { value: string; label: string }[] {
  const known = new Set(items.map(({ id }) => id));
  // Names need not be unique, so those that are not have their ID beside them.
  const byName = Map.groupBy(items, ({ name }) => name);
  const isAmbiguous = (name: string): boolean => (byName.get(name) ?? []).length > 1;
  return [
    ...items.map(({ id, name }) => ({ value: id, label: isAmbiguous(name) ? `${name} (${id})` : name })),
    ...chosen.filter((id) => !known.has(id)).map((id) => ({ value: id, label: id })),
  ];
}
