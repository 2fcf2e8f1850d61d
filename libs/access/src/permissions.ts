import { getOption } from "@bufbuild/protobuf";
import type { DescMethod } from "@bufbuild/protobuf";
import { Permission, permission, PermissionSchema } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";

const notGrantable: readonly Permission[] = [Permission.UNSPECIFIED, Permission.AUTHENTICATED, Permission.SERVICE];

/** Every permission that a token can carry, in the order of the contract. */
export const grantablePermissions: readonly Permission[] = PermissionSchema.values
  .map((value) => value.number as Permission)
  .filter((value) => !notGrantable.includes(value));

/** Permissions that a project token never carries (api.md 7). */
export const organizationPermissions: readonly Permission[] = [
  Permission.ORGANIZATION_MODELS_EDIT,
  Permission.ORGANIZATION_ADMIN,
];

/** The permission's name in the API, such as "documents:read"; "" for a number that the contract does not know. */
export function permissionName(value: Permission): string {
  const name = PermissionSchema.value[value]?.name ?? "";
  return name
    .replace(/^PERMISSION_/, "")
    .toLowerCase()
    .replaceAll("_", ":");
}

/** The permission with this name in the API; undefined for a name that no token can carry. */
export function toPermission(name: string): Permission | undefined {
  return grantablePermissions.find((value) => permissionName(value) === name);
}

/** The permission that a method declares; UNSPECIFIED when it declares none. */
export function declaredPermission(method: DescMethod): Permission {
  return getOption(method, permission);
}

/**
 * Whether the caller's token carries a permission. The organization-level model editing right includes MODELS_EDIT; nothing
 * else includes another. Every caller has NONE, none has SERVICE.
 */
export function hasPermission(caller: Caller, wanted: Permission): boolean {
  if (wanted === Permission.AUTHENTICATED) return true;
  if (!grantablePermissions.includes(wanted)) return false;
  if (caller.permissions.includes(wanted)) return true;
  return wanted === Permission.MODELS_EDIT && caller.permissions.includes(Permission.ORGANIZATION_MODELS_EDIT);
}
