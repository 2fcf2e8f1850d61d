/** How one call of the API travels over HTTP. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path, with variables as `{name}` of the request's members. */
  readonly path: string;
  /** The members that are query parameters. */
  readonly query?: readonly string[];
  /** Whether all other members are a JSON body. */
  readonly body?: true;
  /** The largest file that the call takes, in bytes; calls without it take none. */
  readonly maxFileBytes?: number;
  /** Where the next page of a list stands: in the answer's `nextPageToken`, or in its Link header. */
  readonly page?: "token" | "link";
  /** What comes back: JSON, the bytes of a file, server-sent events, or nothing. */
  readonly answer: "json" | "content" | "events" | "none";
}
