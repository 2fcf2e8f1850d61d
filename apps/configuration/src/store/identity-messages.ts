import { create } from "@bufbuild/protobuf";
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { toPermission } from "@switchyard/access";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import {
  AuditEntrySchema,
  AuditOutcome,
  IssuedTokenSchema,
  ProjectSchema,
  TeamSchema,
  TokenSchema,
  TokenScope,
  TokenStatus,
  UserSchema,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type {
  AuditEntry,
  IssuedToken,
  Project,
  Team,
  Token,
  User,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import { getTokenState } from "../domain/tokens/token-state.ts";
import type { AuditDocument } from "./audit-documents.ts";
import type { ProjectDocument, TeamDocument, TokenDocument, UserDocument } from "./identity-documents.ts";

/** Converts a project to its message. */
export function projectMessage(project: ProjectDocument): Project {
  return create(ProjectSchema, {
    id: project._id,
    name: project.name,
    organizationId: project.organizationId,
    createdAt: timestampFromDate(project.createdAt),
    updatedAt: timestampFromDate(project.updatedAt),
  });
}

/** Converts a token to its message, with its status at a time. */
export function tokenMessage(token: TokenDocument, now: Date): Token {
  return create(TokenSchema, tokenFields(token, now));
}

/** Converts a token with its secret to a message. No other message contains the secret. */
export function issuedTokenMessage(token: TokenDocument, secret: string, now: Date): IssuedToken {
  return create(IssuedTokenSchema, { ...tokenFields(token, now), secret });
}

function tokenFields(token: TokenDocument, now: Date) {
  return {
    id: token._id,
    name: token.name,
    scope: TokenScope[token.scope],
    ...(token.projectId === null ? {} : { projectId: token.projectId }),
    teamIds: token.teamIds,
    permissions: token.permissions,
    createdBy: token.createdBy ?? token.userId,
    createdAt: timestampFromDate(token.createdAt),
    ...(token.expiresAt === null ? {} : { expiresAt: timestampFromDate(token.expiresAt) }),
    ...(token.lastUsedAt === null ? {} : { lastUsedAt: timestampFromDate(token.lastUsedAt) }),
    prefix: token.prefix,
    status: TokenStatus[getTokenState(token, now)],
    userId: token.userId,
  };
}

/** Converts a team to its message. */
export function teamMessage(team: TeamDocument): Team {
  return create(TeamSchema, {
    id: team._id,
    name: team.name,
    projectIds: team.projectIds,
    userIds: team.userIds,
    createdAt: timestampFromDate(team.createdAt),
    updatedAt: timestampFromDate(team.updatedAt),
  });
}

/** Converts a user to its message. */
export function userMessage(user: UserDocument): User {
  return create(UserSchema, { id: user._id, name: user.name, createdAt: timestampFromDate(user.createdAt) });
}

/** Converts an entry of the audit trail to its message. */
export function auditEntryMessage(entry: AuditDocument): AuditEntry {
  return create(AuditEntrySchema, {
    id: entry._id,
    at: timestampFromDate(entry.at),
    action: entry.action,
    outcome: AuditOutcome[entry.outcome],
    tokenId: entry.tokenId,
    userId: entry.userId,
    ...(entry.targetId === null ? {} : { targetId: entry.targetId }),
    requestId: entry.requestId,
    changes: JSON.parse(entry.changes) as JsonObject,
  });
}

/** Creates the caller of a token that reaches these projects. */
export function callerMessage(token: TokenDocument, projectIds: readonly string[]): Caller {
  return create(CallerSchema, {
    tokenId: token._id,
    userId: token.userId,
    organizationId: token.organizationId,
    scope: TokenScope[token.scope],
    projectIds: [...projectIds],
    permissions: token.permissions.flatMap((name) => toPermission(name) ?? []),
  });
}
