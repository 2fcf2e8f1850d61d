/**
 * Thrown if a write outside of a transaction changes a document that an open transaction has locked. The command is then run again later.
 */
export class WaitForTransaction extends Error {
  override readonly name = "WaitForTransaction";
  /** Resolves when a transaction that was open has ended. */
  readonly ended: Promise<void>;

  constructor(message: string, ended: Promise<void>) {
    super(message);
    this.ended = ended;
  }
}
