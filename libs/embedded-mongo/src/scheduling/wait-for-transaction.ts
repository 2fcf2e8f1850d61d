/** Thrown when a write outside of a transaction meets a document of an open one: the command is run again later. */
export class WaitForTransaction extends Error {
  override readonly name = "WaitForTransaction";
  /** Resolves when a transaction that was open has ended. */
  readonly ended: Promise<void>;

  constructor(message: string, ended: Promise<void>) {
    super(message);
    this.ended = ended;
  }
}
