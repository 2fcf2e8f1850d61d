import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";

/** The sentence that says which permission a method needs. */
export function permissionTitle(permission: Permission): string {
  if (permission === Permission.NONE || permission === Permission.UNSPECIFIED) return "";
  const name = Object.entries(Permission).find(([, value]) => value === permission)?.[0] ?? "";
  // DOCUMENTS_READ is written documents:read, ORGANIZATION_MODELS_EDIT organization:models:edit.
  return `Needs the permission \`${name.toLowerCase().replaceAll("_", ":")}\`.`;
}
