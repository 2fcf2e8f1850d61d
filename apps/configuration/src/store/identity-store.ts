import { createPassingCache } from "@switchyard/storage";
import type { DocumentCache, Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { Model } from "mongoose";
import { auditModel } from "./audit-documents.ts";
import type { AuditDocument } from "./audit-documents.ts";
import { appendEntry } from "./audit-store.ts";
import { identityModels } from "./identity-documents.ts";
import type {
  OrganizationDocument,
  ProjectDocument,
  TeamDocument,
  TokenDocument,
  UserDocument,
} from "./identity-documents.ts";

/** The documents of a new organization. */
export interface FirstDocuments {
  organization: OrganizationDocument;
  team: TeamDocument;
  user: UserDocument;
  token: TokenDocument;
}

/** A page of at most `limit` documents after the id `after`, or from the beginning. */
export interface PageRequest {
  readonly limit: number;
  readonly after: string | undefined;
}

/** Reads and writes organizations, projects, teams, users and tokens. */
export interface IdentityStore {
  organization(id: string): Promise<OrganizationDocument | null>;
  /** Lists all organizations in order of creation. */
  organizations(): Promise<OrganizationDocument[]>;
  user(id: string): Promise<UserDocument | null>;
  token(id: string): Promise<TokenDocument | null>;
  /** Finds the token with this current or earlier secret, whether it is valid or not. */
  tokenByDigest(digest: string): Promise<TokenDocument | null>;
  /** Returns the id of the pepper (`kid`) of an arbitrary token; undefined if there is no token. */
  findAnyKid(): Promise<string | undefined>;
  /** Records when a token was last used. */
  touchToken(id: string, at: Date): Promise<void>;
  /** Returns the projects that these teams of the organization grant to the user, sorted and without duplicates. */
  grantedProjectIds(organizationId: string, userId: string, teamIds: readonly string[]): Promise<string[]>;
  project(id: string): Promise<ProjectDocument | null>;
  /** Finds the projects with these ids, in order of creation. */
  projects(ids: readonly string[]): Promise<ProjectDocument[]>;
  /** Finds the teams of the organization with these ids. */
  teams(organizationId: string, ids: readonly string[]): Promise<TeamDocument[]>;
  /** Lists a page of the organization's tokens, newest first, after the id `before`. */
  listTokens(organizationId: string, page: PageRequest): Promise<TokenDocument[]>;
  /** Lists a page of the organization's teams in order of creation. */
  listTeams(organizationId: string, page: PageRequest): Promise<TeamDocument[]>;
  /** Lists a page of the organization's users in order of creation. */
  listUsers(organizationId: string, page: PageRequest): Promise<UserDocument[]>;
  /** Returns the ids of the organization's teams that contain this user, in order of creation. */
  listUserTeams(organizationId: string, userId: string): Promise<string[]>;
  /** Stores a token that was not issued by a call, with its entry in the audit trail. */
  insertToken(token: TokenDocument, entry: AuditDocument): Promise<void>;
  /** Stores an organization with its team, user and token. */
  createOrganization(first: FirstDocuments): Promise<void>;
}

/** Creates the store of identities in a service's database. Documents that are found by ID come from the cache. */
export function createIdentityStore(
  { connection, atomically }: Storage,
  cache: DocumentCache = createPassingCache(),
): IdentityStore {
  const { organizations, projects, teams, users, tokens } = identityModels(connection);
  const audit = auditModel(connection);

  async function byId<Document extends { readonly _id: string }>(
    collection: Model<Document>,
    id: string,
  ): Promise<Document | null> {
    const load = async () => collection.find({ _id: id }).lean<Document[]>();
    return (await cache.find(collection.modelName, [id], load))[0] ?? null;
  }

  return {
    organization: (id) => byId(organizations, id),
    organizations: async () => organizations.find({}).sort({ _id: 1 }).lean<OrganizationDocument[]>(),
    user: (id) => byId(users, id),
    token: (id) => byId(tokens, id),
    async tokenByDigest(digest) {
      // The order matters: a rotation between the two reads moves the secret to where the second read looks.
      const current = await tokens.findOne({ digest }).lean<TokenDocument>();
      return current ?? tokens.findOne({ "previousSecrets.digest": digest }).lean<TokenDocument>();
    },
    findAnyKid: async () => (await tokens.findOne({}, { kid: 1 }).lean<Pick<TokenDocument, "kid">>())?.kid,
    async touchToken(id, at) {
      try {
        await tokens.updateOne({ _id: id }, { $set: { lastUsedAt: at } });
      } finally {
        await cache.clear();
      }
    },
    async grantedProjectIds(organizationId, userId, teamIds) {
      if (teamIds.length === 0) return [];
      const found = await teams
        .find({ _id: trusted({ $in: [...teamIds] }), organizationId, userIds: userId })
        .lean<TeamDocument[]>();
      return [...new Set(found.flatMap((team) => team.projectIds))].sort();
    },
    project: (id) => byId(projects, id),
    async projects(ids) {
      const found = await cache.find(projects.modelName, ids, async (missing) =>
        projects.find({ _id: trusted({ $in: [...missing] }) }).lean<ProjectDocument[]>(),
      );
      return found.sort((one, other) => (one._id < other._id ? -1 : 1));
    },
    async teams(organizationId, ids) {
      if (ids.length === 0) return [];
      return teams.find({ _id: trusted({ $in: [...ids] }), organizationId }).lean<TeamDocument[]>();
    },
    listTokens: async (organizationId, { limit, after }) =>
      tokens
        .find({ organizationId, ...(after === undefined ? {} : { _id: trusted({ $lt: after }) }) })
        .sort({ _id: -1 })
        .limit(limit)
        .lean<TokenDocument[]>(),
    listTeams: async (organizationId, page) => ascending(teams, organizationId, page),
    listUsers: async (organizationId, page) => ascending(users, organizationId, page),
    async listUserTeams(organizationId, userId) {
      const found = await teams.find({ organizationId, userIds: userId }).sort({ _id: 1 }).lean<TeamDocument[]>();
      return found.map(({ _id }) => _id);
    },
    insertToken: (token, entry) =>
      atomically(async (session) => {
        await tokens.create([token], { session });
        await appendEntry(audit, entry, session);
      }),
    createOrganization: ({ organization, team, user, token }) =>
      atomically(async (session) => {
        await organizations.create([organization], { session });
        await users.create([user], { session });
        await teams.create([team], { session });
        await tokens.create([token], { session });
      }),
  };
}

async function ascending<Document>(
  collection: Model<Document>,
  organizationId: string,
  { limit, after }: PageRequest,
): Promise<Document[]> {
  return collection
    .find({ organizationId, ...(after === undefined ? {} : { _id: trusted({ $gt: after }) }) })
    .sort({ _id: 1 })
    .limit(limit)
    .lean<Document[]>();
}
