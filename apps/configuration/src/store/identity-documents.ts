import { Schema } from "mongoose";
import type { Connection, Model } from "mongoose";
import { registeredModel } from "./registered-model.ts";

/** A tenant: everything belongs to exactly one. */
export interface OrganizationDocument {
  _id: string;
  name: string;
  createdAt: Date;
  /** Counted up by whoever revokes one of its administrators, so that two who do so at once get in each other's way. */
  lock?: number;
}

/** A project of an organization. */
export interface ProjectDocument {
  _id: string;
  organizationId: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
  /** Counted up by whoever counts on the project being there, so that its deletion gets in their way and they in its. */
  lock?: number;
}

/** Grants its projects to the tokens that name it, as long as their users are among its users. */
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

/** What is stored of a secret: its HMAC under the pepper with the id `kid`. */
export interface StoredSecret {
  digest: string;
  kid: string;
}

/** A secret that a rotation replaced, valid until a moment. */
export interface PreviousSecret extends StoredSecret {
  until: Date;
}

/** A bearer token, never its secret. */
export interface TokenDocument extends StoredSecret {
  _id: string;
  organizationId: string;
  name: string;
  scope: "ORGANIZATION" | "PROJECT";
  projectId: string | null;
  teamIds: string[];
  permissions: string[];
  userId: string;
  /** The user of the token that issued it; its own user where this was not noted. */
  createdBy?: string;
  prefix: string;
  /** The secrets before the current one, as long as they are valid. */
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

/** Registers the collections of identities with a connection, once. */
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
