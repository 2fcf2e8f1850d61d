/** The name of Node.js's diagnostics channel on which every command of a service to its database appears, while somebody listens. */
export const sentCommands = "switchyard.storage.command";

/** A command on its way to the database, as the driver tells it (`commandStarted`). */
export interface SentCommand {
  /** The client that sends it, the same object for all of its commands. */
  client: object;
  databaseName: string;
  command: Readonly<Record<string, unknown>>;
}
