import type { Message } from "@bufbuild/protobuf";
import type { Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { ClientSession, Model } from "mongoose";
import { administratorPermissions } from "../domain/tokens/token-state.ts";
import { auditModel } from "./audit-documents.ts";
import type { AuditDocument } from "./audit-documents.ts";
import { appendEntry } from "./audit-store.ts";
import { createChangeAppender } from "./changes/change-feed.ts";
import { configurationModels } from "./configuration-documents.ts";
import { identityModels } from "./identity-documents.ts";
import type {
  IdentityModels,
  ProjectDocument,
  TeamDocument,
  TokenDocument,
  UserDocument,
} from "./identity-documents.ts";
import { modelRecords } from "./model-records.ts";
import type { ModelRecords } from "./model-records.ts";
import { createModelUsage } from "./model-usage.ts";
import type { ModelRemoval } from "./model-removal.ts";

/** The reads and writes of an administrative change, all in one transaction. They must not run concurrently. */
export interface AdministrationRecords extends ModelRecords {
  project(id: string): Promise<ProjectDocument | null>;
  team(id: string): Promise<TeamDocument | null>;
  token(id: string): Promise<TokenDocument | null>;
  user(id: string): Promise<UserDocument | null>;
  /** Finds the teams of the organization with these ids. */
  teams(organizationId: string, ids: readonly string[]): Promise<TeamDocument[]>;
  /** Returns those of the users that belong to the organization. */
  knownUsers(organizationId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns those of the projects that belong to the organization. They cannot be deleted before the transaction ends. */
  lockProjects(organizationId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  insertProject(project: ProjectDocument): Promise<void>;
  renameProject(project: ProjectDocument): Promise<void>;
  /**
   * Removes a project with its grants, revokes its tokens, and adds the deletion to the change feed. Its models, schemas and deployments
   * are removed by `ModelRemoval`.
   */
  removeProject(project: ProjectDocument, at: Date): Promise<void>;
  /** Adds a project to a team. Concurrent changes of the team are kept. */
  grant(teamId: string, project: ProjectDocument): Promise<void>;
  insertTeam(team: TeamDocument): Promise<void>;
  replaceTeam(team: TeamDocument): Promise<void>;
  /** Removes a team, including from the tokens that name it. */
  removeTeam(team: TeamDocument): Promise<void>;
  insertUser(user: UserDocument): Promise<void>;
  insertToken(token: TokenDocument): Promise<void>;
  revokeToken(id: string, at: Date): Promise<void>;
  /**
   * Whether the organization has another active token that administers it permanently. Until the transaction ends, no other transaction
   * that calls this can revoke one.
   */
  lockOtherAdministrator(token: TokenDocument): Promise<boolean>;
  /** Records the first use of a token. Returns whether it was the first. */
  recordFirstUse(id: string, at: Date): Promise<boolean>;
  /** Stores the secrets of a token. */
  replaceSecrets(token: TokenDocument): Promise<void>;
  /** Adds an entry to the audit trail. */
  append(entry: AuditDocument): Promise<void>;
}

/**
 * Runs an administrative change in a transaction. The change may run more than once, so it must only use its records. Its result is the
 * response of the RPC, and is stored with the idempotency key.
 */
export type Administer = <ResponseMessage extends Message | undefined>(
  work: (records: AdministrationRecords) => Promise<ResponseMessage>,
) => Promise<ResponseMessage>;

/** Creates administrative changes in a service's database. Whoever deletes a model or a project must call `removal.finish` afterwards. */
export function createAdministration({ connection, atomically }: Storage, removal: ModelRemoval): Administer {
  const identities = identityModels(connection);
  const configurations = configurationModels(connection);
  const usage = createModelUsage(connection);
  const audit = auditModel(connection);
  const appendChange = createChangeAppender(connection);
  return (work) =>
    atomically(
      (session) => {
        const modelChanges = modelRecords(configurations, removal, usage, session);
        return work(createRecords(identities, modelChanges, audit, appendChange, session));
      },
      (response) => response,
    );
}

function createRecords(
  { organizations, projects, teams, users, tokens }: IdentityModels,
  modelChanges: ModelRecords,
  audit: Model<AuditDocument>,
  appendChange: ReturnType<typeof createChangeAppender>,
  session: ClientSession,
): AdministrationRecords {
  return {
    ...modelChanges,
    project: async (id) => projects.findOne({ _id: id }).session(session).lean<ProjectDocument>(),
    team: async (id) => teams.findOne({ _id: id }).session(session).lean<TeamDocument>(),
    token: async (id) => tokens.findOne({ _id: id }).session(session).lean<TokenDocument>(),
    user: async (id) => users.findOne({ _id: id }).session(session).lean<UserDocument>(),
    async teams(organizationId, ids) {
      if (ids.length === 0) return [];
      return teams
        .find({ _id: trusted({ $in: [...ids] }), organizationId })
        .session(session)
        .lean<TeamDocument[]>();
    },
    async knownUsers(organizationId, ids) {
      if (ids.length === 0) return new Set();
      const found = await users
        .find({ _id: trusted({ $in: [...ids] }), organizationId })
        .session(session)
        .lean<UserDocument[]>();
      return new Set(found.map(({ _id }) => _id));
    },
    async lockProjects(organizationId, ids) {
      if (ids.length === 0) return new Set();
      const wanted = { _id: trusted({ $in: [...ids] }), organizationId };
      await projects.updateMany(wanted, { $inc: { lock: 1 } }, { session });
      const found = await projects.find(wanted).session(session).lean<ProjectDocument[]>();
      return new Set(found.map(({ _id }) => _id));
    },
    async insertProject(project) {
      await projects.create([project], { session });
    },
    async renameProject({ _id, name, updatedAt }) {
      await projects.updateOne({ _id }, { $set: { name, updatedAt } }, { session });
    },
    async removeProject({ _id: projectId, organizationId }, at) {
      await projects.deleteOne({ _id: projectId }, { session });
      await modelChanges.removeProjectModels(projectId, at);
      const granting = { organizationId, projectIds: projectId };
      await teams.updateMany(granting, { $pull: { projectIds: projectId }, $set: { updatedAt: at } }, { session });
      await tokens.updateMany({ projectId, revokedAt: null }, { $set: { revokedAt: at } }, { session });
      await appendChange({ projectId, organizationId, at }, session);
    },
    async grant(teamId, { _id, organizationId, createdAt }) {
      const change = { $push: { projectIds: _id }, $set: { updatedAt: createdAt } };
      await teams.updateOne({ _id: teamId, organizationId }, change, { session });
    },
    async insertTeam(team) {
      await teams.create([team], { session });
    },
    async replaceTeam({ _id, name, projectIds, userIds, updatedAt }) {
      await teams.updateOne({ _id }, { $set: { name, projectIds, userIds, updatedAt } }, { session });
    },
    async removeTeam({ _id, organizationId }) {
      await teams.deleteOne({ _id }, { session });
      await tokens.updateMany({ organizationId, teamIds: _id }, { $pull: { teamIds: _id } }, { session });
    },
    async insertUser(user) {
      await users.create([user], { session });
    },
    async insertToken(token) {
      await tokens.create([token], { session });
    },
    async revokeToken(id, at) {
      await tokens.updateOne({ _id: id }, { $set: { revokedAt: at } }, { session });
    },
    async lockOtherAdministrator({ _id, organizationId }) {
      await organizations.updateOne({ _id: organizationId }, { $inc: { lock: 1 } }, { session });
      const other = await tokens
        .findOne({
          organizationId,
          $and: administratorPermissions.map((permissions) => ({ permissions })),
          expiresAt: null,
          revokedAt: null,
          _id: trusted({ $ne: _id }),
        })
        .session(session)
        .lean<TokenDocument>();
      return other !== null;
    },
    async recordFirstUse(id, at) {
      const unused = { _id: id, lastUsedAt: null };
      const { modifiedCount } = await tokens.updateOne(unused, { $set: { lastUsedAt: at } }, { session });
      return modifiedCount === 1;
    },
    async replaceSecrets({ _id, digest, kid, prefix, previousSecrets = [] }) {
      await tokens.updateOne({ _id }, { $set: { digest, kid, prefix, previousSecrets } }, { session });
    },
    append: (entry) => appendEntry(audit, entry, session),
  };
}
