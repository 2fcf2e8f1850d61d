import type { EngineFailureCode } from "../failure.ts";

/** The tokens of a request and of its answer, as the endpoint counts them. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** A single request to an endpoint that failed. */
export class AttemptFailure extends Error {
  readonly code: EngineFailureCode;
  /** Whether the same request may succeed later. */
  readonly temporary: boolean;
  /** How long the endpoint asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the endpoint responded at all, and is therefore alive. */
  readonly responded: boolean;
  readonly tokens: Tokens;

  constructor(options: {
    code: EngineFailureCode;
    temporary?: boolean;
    retryAfterMs?: number | undefined;
    responded?: boolean;
    tokens?: Tokens;
  }) {
    super(options.code);
    this.code = options.code;
    this.temporary = options.temporary ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.responded = options.responded ?? true;
    this.tokens = options.tokens ?? { input: 0, output: 0 };
  }
}
