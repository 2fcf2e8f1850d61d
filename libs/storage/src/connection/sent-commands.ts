/** The name of the diagnostics channel of Node.js on which every command of a service to its database is published. */
export const sentCommands = "switchyard.storage.command";

/** A command that was sent to the database, as the driver reports it (`commandStarted`). */
export interface SentCommand {
  /** The client that sent it. All commands of a client have the same object. */
  client: object;
  databaseName: string;
  command: Readonly<Record<string, unknown>>;
}
