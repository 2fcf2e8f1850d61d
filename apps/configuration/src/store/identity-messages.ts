import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { permissionOf } from "@switchyard/access";
import {
  CallerSchema,
  ProjectSchema,
  TokenSchema,
  TokenScope,
  TokenStatus,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller, Project, Token } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { tokenState } from "../domain/token-state.ts";
import type { ProjectDocument, TokenDocument } from "./identity-documents.ts";

/** A project as the contract has it. */
export function projectMessage(project: ProjectDocument): Project {
  return create(ProjectSchema, {
    id: project._id,
    name: project.name,
    organizationId: project.organizationId,
    createdAt: timestampFromDate(project.createdAt),
    updatedAt: timestampFromDate(project.updatedAt),
  });
}

/** A token as the contract has it, with its status at a moment. */
export function tokenMessage(token: TokenDocument, now: Date): Token {
  return create(TokenSchema, {
    id: token._id,
    name: token.name,
    scope: TokenScope[token.scope],
    ...(token.projectId === null ? {} : { projectId: token.projectId }),
    teamIds: token.teamIds,
    permissions: token.permissions,
    createdBy: token.userId,
    createdAt: timestampFromDate(token.createdAt),
    ...(token.expiresAt === null ? {} : { expiresAt: timestampFromDate(token.expiresAt) }),
    ...(token.lastUsedAt === null ? {} : { lastUsedAt: timestampFromDate(token.lastUsedAt) }),
    prefix: token.prefix,
    status: TokenStatus[tokenState(token, now)],
  });
}

/** The caller that a token makes, with these projects in reach. */
export function callerMessage(token: TokenDocument, projectIds: readonly string[]): Caller {
  return create(CallerSchema, {
    tokenId: token._id,
    userId: token.userId,
    organizationId: token.organizationId,
    scope: TokenScope[token.scope],
    projectIds: [...projectIds],
    permissions: token.permissions.flatMap((name) => permissionOf(name) ?? []),
  });
}
