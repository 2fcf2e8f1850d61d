import type { ClientSession } from "mongoose";

/** The session of a transaction, which `storage.atomically` provides. */
export type Transaction = ClientSession;
