import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";

/** Returns a sentence that names the permission that a method requires, or "" if any token may call it. */
export function permissionTitle(permission: Permission): string {
  if (permission === Permission.AUTHENTICATED || permission === Permission.UNSPECIFIED) return "";
  const name = Object.entries(Permission).find(([, value]) => value === permission)?.[0] ?? "";
  // DOCUMENTS_READ is written documents:read, ORGANIZATION_MODELS_EDIT organization:models:edit.
  return `Requires the permission \`${name.toLowerCase().replaceAll("_", ":")}\`.`;
}
