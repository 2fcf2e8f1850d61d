import type { ClientSession } from "mongoose";

/** The transaction that a write belongs to, as `storage.atomically` hands it out. */
export type Transaction = ClientSession;
