/** The HTTP form of a call of the API. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path. Variables are `{name}` and refer to members of the request. */
  readonly path: string;
  /** The members of the request that are query parameters. */
  readonly query?: readonly string[];
  /** Whether all other members form a JSON body. */
  readonly body?: true;
  /** The maximum size of a file in bytes. Absent for calls without a file. */
  readonly maxFileBytes?: number;
  /** The location of the next page's token: the `nextPageToken` of the response, or its Link header. */
  readonly page?: "token" | "link";
  /** The content of the response: JSON, the bytes of a file, server-sent events, or nothing. */
  readonly response: "json" | "content" | "events" | "none";
}
