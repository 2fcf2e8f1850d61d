import { Schema } from "mongoose";
import type { Connection, Model } from "mongoose";
import { registeredModel } from "./registered-model.ts";

/** A tenant: everything belongs to exactly one. */
export interface OrganizationDocument {
  _id: string;
  name: string;
  createdAt: Date;
}

/** A project of an organization. */
export interface ProjectDocument {
  _id: string;
  organizationId: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
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

/** A bearer token: never its secret, only the secret's HMAC under the pepper with the id `kid`. */
export interface TokenDocument {
  _id: string;
  organizationId: string;
  name: string;
  scope: "ORGANIZATION" | "PROJECT";
  projectId: string | null;
  teamIds: string[];
  permissions: string[];
  userId: string;
  digest: string;
  kid: string;
  prefix: string;
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
  return new Schema<OrganizationDocument>({ _id: text, name: text, createdAt: moment }, { versionKey: false });
}

function projectSchema(): Schema<ProjectDocument> {
  return new Schema<ProjectDocument>(
    { _id: text, organizationId: text, name: text, createdAt: moment, updatedAt: moment },
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
  ).index({ organizationId: 1, _id: 1 });
}

function userSchema(): Schema<UserDocument> {
  return new Schema<UserDocument>(
    { _id: text, organizationId: text, name: text, createdAt: moment },
    { versionKey: false },
  ).index({ organizationId: 1, _id: 1 });
}

function tokenSchema(): Schema<TokenDocument> {
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
      digest: text,
      kid: text,
      prefix: text,
      createdAt: moment,
      expiresAt: maybeMoment,
      revokedAt: maybeMoment,
      lastUsedAt: maybeMoment,
    },
    { versionKey: false },
  )
    .index({ digest: 1 }, { unique: true, name: "token_digest" })
    .index({ organizationId: 1, _id: 1 });
}
