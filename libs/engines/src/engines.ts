/** What an engine is asked: instructions, the content, which is data, pictures of pages, and the schema of the answer. */
export interface EngineQuestion {
  /** The version of the prompt. Answers are cached per version. */
  readonly promptVersion: string;
  readonly instructions: string;
  readonly content: string;
  /** Pictures of pages as PNG or JPEG. They are sent only to an engine that takes pictures. */
  readonly pictures?: readonly Uint8Array[];
  /** A name of the schema that some endpoints require: letters, digits, `_` and `-`. */
  readonly answerName: string;
  readonly answerSchema: JsonSchema;
}

/** The part of JSON Schema that all endpoints with structured output support. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** A question to an engine for an organization. */
export interface EngineCall<Answer> {
  readonly organizationId: string;
  /** The name of the engine in the operator's file. */
  readonly engine: string;
  /** One of the engine's models; null is its first one. */
  readonly modelName: string | null;
  /** From 0 to 2; null leaves it to the endpoint. */
  readonly temperature: number | null;
  readonly question: EngineQuestion;
  /**
   * Returns the typed answer, or throws if it is not acceptable. The answer has only keys that the schema lists. An answer that is not
   * accepted is requested once more; after that the call fails with ENGINE_ANSWER_INVALID.
   */
  readonly accept: (answer: unknown) => Answer;
  /**
   * How long the call may take in milliseconds, with waiting and retries. The default is the `timeoutSeconds` of the engine, which also
   * limits each single request.
   */
  readonly timeoutMs?: number;
  /** Ends the call, and the request to the endpoint. `ask` then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** What a call has used. `cost` is null if the engine has no prices; `latencyMs` is the time from the call to its answer. */
export interface EngineUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
  readonly latencyMs: number;
}

/** An answer that was accepted. */
export interface EngineAnswer<Answer> {
  readonly answer: Answer;
  /** Without tokens and costs if the answer was cached. */
  readonly usage: EngineUsage;
  readonly modelName: string;
  readonly cached: boolean;
}

/** What users may know about an engine: never its address or its key. */
export interface EngineDescription {
  readonly name: string;
  readonly models: readonly string[];
  /** Whether it takes pictures of pages. */
  readonly images: boolean;
  /** How many tokens a question and its answer may have together, if the operator says so. */
  readonly contextTokens?: number | undefined;
  readonly timeoutSeconds: number;
}

/** The language models that the operator has configured. The engine `local` is not one of them. */
export interface Engines {
  /** The engines that an organization may use, in the order of the file. */
  list(organizationId: string): readonly EngineDescription[];
  /** The engine of this name if the organization may use it. */
  find(organizationId: string, name: string): EngineDescription | undefined;
  /**
   * Asks an engine. Rejects with an `EngineFailure` if no acceptable answer could be obtained, or with the reason of the signal if the call
   * was cancelled.
   */
  ask<Answer>(call: EngineCall<Answer>): Promise<EngineAnswer<Answer>>;
  /** Whether the endpoint of this engine responds, without asking it anything. False for an unknown name. */
  ping(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Ends all calls and checks. */
  close(): Promise<void>;
}
