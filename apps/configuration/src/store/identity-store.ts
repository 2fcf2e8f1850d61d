import type { Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { ClientSession } from "mongoose";
import { identityModels } from "./identity-documents.ts";
import type {
  OrganizationDocument,
  ProjectDocument,
  TeamDocument,
  TokenDocument,
  UserDocument,
} from "./identity-documents.ts";

/** What a new organization consists of. */
export interface FirstDocuments {
  organization: OrganizationDocument;
  team: TeamDocument;
  user: UserDocument;
  token: TokenDocument;
}

/** Organizations, projects, teams, users and tokens as they are stored. */
export interface IdentityStore {
  organization(id: string): Promise<OrganizationDocument | null>;
  user(id: string): Promise<UserDocument | null>;
  token(id: string): Promise<TokenDocument | null>;
  tokenByDigest(digest: string): Promise<TokenDocument | null>;
  /** Notes when a token was last used. */
  touchToken(id: string, at: Date): Promise<void>;
  /** The projects that these teams of the organization grant to the user, sorted, each once. */
  grantedProjectIds(organizationId: string, userId: string, teamIds: readonly string[]): Promise<string[]>;
  project(id: string): Promise<ProjectDocument | null>;
  /** The projects there are with these ids, in order of creation. */
  projects(ids: readonly string[]): Promise<ProjectDocument[]>;
  /** The teams of the organization with these ids. */
  teams(organizationId: string, ids: readonly string[]): Promise<TeamDocument[]>;
  /** Stores a project and grants it to teams. */
  createProject(project: ProjectDocument, teamIds: readonly string[]): Promise<void>;
  /** Stores an organization with its team, user and token. */
  createOrganization(first: FirstDocuments): Promise<void>;
}

/** The store of identities over a service's database. */
export function createIdentityStore({ connection, atomically }: Storage): IdentityStore {
  const { organizations, projects, teams, users, tokens } = identityModels(connection);

  async function grant(teamId: string, project: ProjectDocument, session: ClientSession): Promise<void> {
    const change = { $push: { projectIds: project._id }, $set: { updatedAt: project.createdAt } };
    await teams.updateOne({ _id: teamId, organizationId: project.organizationId }, change, { session });
  }

  return {
    organization: async (id) => organizations.findOne({ _id: id }).lean<OrganizationDocument>(),
    user: async (id) => users.findOne({ _id: id }).lean<UserDocument>(),
    token: async (id) => tokens.findOne({ _id: id }).lean<TokenDocument>(),
    tokenByDigest: async (digest) => tokens.findOne({ digest }).lean<TokenDocument>(),
    async touchToken(id, at) {
      await tokens.updateOne({ _id: id }, { $set: { lastUsedAt: at } });
    },
    async grantedProjectIds(organizationId, userId, teamIds) {
      if (teamIds.length === 0) return [];
      const found = await teams
        .find({ _id: trusted({ $in: [...teamIds] }), organizationId, userIds: userId })
        .lean<TeamDocument[]>();
      return [...new Set(found.flatMap((team) => team.projectIds))].sort();
    },
    project: async (id) => projects.findOne({ _id: id }).lean<ProjectDocument>(),
    async projects(ids) {
      if (ids.length === 0) return [];
      return projects
        .find({ _id: trusted({ $in: [...ids] }) })
        .sort({ _id: 1 })
        .lean<ProjectDocument[]>();
    },
    async teams(organizationId, ids) {
      if (ids.length === 0) return [];
      return teams.find({ _id: trusted({ $in: [...ids] }), organizationId }).lean<TeamDocument[]>();
    },
    createProject: (project, teamIds) =>
      atomically(async (session) => {
        await projects.create([project], { session });
        for (const teamId of teamIds) await grant(teamId, project, session);
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
