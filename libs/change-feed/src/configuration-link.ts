import { createClient } from "@connectrpc/connect";
import type { Transport } from "@connectrpc/connect";
import { ChangeService } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import { AuditService } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import type { Logger } from "@switchyard/rpc";
import type { Connection } from "mongoose";
import { createAuditOutbox } from "./audit-outbox.ts";
import type { AuditOutbox } from "./audit-outbox.ts";
import type { ChangeReader } from "./change-reader.ts";
import { createDeletedProjects } from "./deleted-projects.ts";
import type { DeletedProjects } from "./deleted-projects.ts";
import { createProjectRemoval } from "./project-removal.ts";
import type { ProjectContents } from "./project-removal.ts";

/** The dependencies of a link to the configuration service. */
export interface ConfigurationLinkOptions {
  /** The database of the service. */
  connection: Connection;
  /** The transport to the configuration service. */
  configuration: Transport;
  /** The name of the service. */
  service: string;
  logger: Logger;
  /** Whether no other process uses the database; false by default. */
  exclusive?: boolean;
}

/** The state that a service exchanges with the configuration service. */
export interface ConfigurationLink {
  /** Sends the service's audit entries to the audit trail. */
  readonly outbox: AuditOutbox;
  /** The deleted projects that the service knows of. */
  readonly deletedProjects: DeletedProjects;
  /** Creates the removal of the contents of deleted projects. Call it once, before the storage is made ready. */
  createRemoval(contents: ProjectContents): ChangeReader;
}

/**
 * Links a service to the configuration service: audit entries go there, and changes come from there. Failures are logged and
 * retried. Create the link before the storage is made ready, because it registers collections.
 */
export function createConfigurationLink(options: ConfigurationLinkOptions): ConfigurationLink {
  const { connection, configuration, service, logger, exclusive = false } = options;
  const deletedProjects = createDeletedProjects(connection, exclusive);
  return {
    deletedProjects,
    outbox: createAuditOutbox({
      connection,
      trail: createClient(AuditService, configuration),
      service,
      exclusive,
      onError: (error) => logger.warn({ err: error }, "sending audit entries failed; will retry"),
      onRefused: (entry, error) =>
        logger.error({ err: error, entry }, "the audit trail rejected an entry; it was set aside"),
    }),
    createRemoval: (contents) =>
      createProjectRemoval({
        connection,
        source: createClient(ChangeService, configuration),
        deletedProjects,
        contents,
        exclusive,
        onError: (error) => logger.warn({ err: error }, "reading the change feed failed; will retry"),
      }),
  };
}
