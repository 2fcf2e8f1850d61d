import type { Storage } from "@switchyard/storage";
import { createTokenDigests } from "./service/tokens/token-digests.ts";
import { createIdentityStore } from "./store/identity-store.ts";

/**
 * Throws an error with the remedy if the database has tokens that were created with another root secret than that of `tokenPepper`, or any
 * tokens at all if there is no secret yet (undefined). None of them would be valid any more.
 */
export async function checkTokenPepper(storage: Storage, tokenPepper: Uint8Array | undefined): Promise<void> {
  const kid = await createIdentityStore(storage).findAnyKid();
  if (kid === undefined) return;
  if (tokenPepper !== undefined && createTokenDigests(tokenPepper).kid === kid) return;
  const what =
    tokenPepper === undefined
      ? "The root secret is missing, but the database contains tokens that depend on it."
      : "The root secret does not match the tokens in the database.";
  throw new Error(
    `${what} Restore the file "secret" of the data folder (SWITCHYARD_DATA) from a backup, or set SWITCHYARD_SECRET to it. ` +
      "With another secret, no token is valid.",
  );
}
