import { Schema } from "mongoose";
import type { Connection, Model } from "mongoose";
import { registeredModel } from "./registered-model.ts";

/** A tenant. Everything belongs to exactly one organization. */
export interface OrganizationDocument {
  _id: string;
  name: string;
  createdAt: Date;
  /** Incremented by every revocation of one of its administrators, so that concurrent revocations conflict. */
  lock?: number;
}

/** A project of an organization. */
export interface ProjectDocument {
  _id: string;
  organizationId: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
  /** Incremented by every transaction that requires the project to exist, so that it conflicts with the deletion of the project. */
  lock?: number;
}

/** A team. It grants its projects to the tokens that name it, as long as their users belong to it. */
export interface TeamDocument {
  _id: string;
  organizationId: string;
  name: string;
  projectIds: string[];
  userIds: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** A person. */
export interface UserDocument {
  _id: string;
  organizationId: string;
  name: string;
  createdAt: Date;
}

/** The stored form of a secret: its HMAC with the pepper of the id `kid`. */
export interface StoredSecret {
  digest: string;
  kid: string;
}

/** A secret that was replaced by a rotation and is valid until a time. */
export interface PreviousSecret extends StoredSecret {
  until: Date;
}

/** A bearer token, without its secret. */
export interface TokenDocument extends StoredSecret {
  _id: string;
  organizationId: string;
  name: string;
  scope: "ORGANIZATION" | "PROJECT";
  projectId: string | null;
  teamIds: string[];
  permissions: string[];
  userId: string;
  /** The user of the token that issued it. Undefined means its own user. */
  createdBy?: string;
  prefix: string;
  /** The earlier secrets that are still valid. */
  previousSecrets?: PreviousSecret[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** The collections of identities. */
export interface IdentityModels {
  organizations: Model<OrganizationDocument>;
  projects: Model<ProjectDocument>;
  teams: Model<TeamDocument>;
  users: Model<UserDocument>;
  tokens: Model<TokenDocument>;
}

const text = { type: String, required: true } as const;
const moment = { type: Date, required: true } as const;
const maybeMoment = { type: Date, default: null } as const;

/** Registers the collections of identities with a connection. Does nothing if they are registered. */
export function identityModels(connection: Connection): IdentityModels {
  return {
    organizations: registeredModel(connection, "organizations", organizationSchema),
    projects: registeredModel(connection, "projects", projectSchema),
    teams: registeredModel(connection, "teams", teamSchema),
    users: registeredModel(connection, "users", userSchema),
    tokens: registeredModel(connection, "tokens", tokenSchema),
  };
}

function organizationSchema(): Schema<OrganizationDocument> {
  return new Schema<OrganizationDocument>(
    { _id: text, name: text, createdAt: moment, lock: Number },
    { versionKey: false },
  );
}

function projectSchema(): Schema<ProjectDocument> {
  return new Schema<ProjectDocument>(
    { _id: text, organizationId: text, name: text, createdAt: moment, updatedAt: moment, lock: Number },
    { versionKey: false },
  ).index({ organizationId: 1, _id: 1 });
}

function teamSchema(): Schema<TeamDocument> {
  return new Schema<TeamDocument>(
    {
      _id: text,
      organizationId: text,
      name: text,
      projectIds: { type: [String], required: true },
      userIds: { type: [String], required: true },
      createdAt: moment,
      updatedAt: moment,
    },
    { versionKey: false },
  )
    .index({ organizationId: 1, _id: 1 })
    .index({ projectIds: 1 });
}

function userSchema(): Schema<UserDocument> {
  return new Schema<UserDocument>(
    { _id: text, organizationId: text, name: text, createdAt: moment },
    { versionKey: false },
  ).index({ organizationId: 1, _id: 1 });
}

function tokenSchema(): Schema<TokenDocument> {
  const previous = new Schema<PreviousSecret>({ digest: text, kid: text, until: moment }, { _id: false });
  return new Schema<TokenDocument>(
    {
      _id: text,
      organizationId: text,
      name: text,
      scope: text,
      projectId: { type: String, default: null },
      teamIds: { type: [String], required: true },
      permissions: { type: [String], required: true },
      userId: text,
      createdBy: String,
      digest: text,
      kid: text,
      prefix: text,
      previousSecrets: [previous],
      createdAt: moment,
      expiresAt: maybeMoment,
      revokedAt: maybeMoment,
      lastUsedAt: maybeMoment,
    },
    { versionKey: false },
  )
    .index({ digest: 1 }, { unique: true, name: "token_digest" })
    .index({ "previousSecrets.digest": 1 })
    .index({ projectId: 1 })
    .index({ organizationId: 1, _id: 1 })
    .index({ organizationId: 1, permissions: 1 });
}
