import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type {
  InfiniteData,
  QueryClient,
  UseInfiniteQueryResult,
  UseMutationResult,
  UseQueryResult,
} from "@tanstack/react-query";
import { ConnectionError, RateLimitError, ServerError, calls, nextPageToken, parseJsonBody } from "@switchyard/client";
import type { Api, CallOptions, Client, ClientResponse, PageItem, PagedCall } from "@switchyard/client";
import { useSession } from "../session/session.ts";

type Name = keyof Api;

type Method = (request: object, options?: CallOptions) => Promise<unknown>;
type Exchange = (name: Name, request: object, options?: CallOptions) => Promise<ClientResponse>;

/** How soon a call that failed with a temporary error is made again, in milliseconds. */
export const retryMs = 3_000;

/** What was requested this short time ago is not requested again when its page opens, in milliseconds. */
const freshMs = 2_000;

/** How long the pages of a list are kept after it was left, in milliseconds, so that it is as it was when the browser comes back to it. */
const keptMs = 300_000;

/** Whether a call failed because the server is unavailable, limits requests, or has a fault of its own. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof ServerError || error instanceof RateLimitError;
}

/** How a call is repeated automatically, and whether it is made at all. */
export interface CallSettings<Result = never> {
  /** False while something that the request needs is not known yet. */
  readonly enabled?: boolean;
  /**
   * The time after which the call is made again, in milliseconds, also as a function of the latest result. By default, only a change that is
   * sent, or a temporary error, repeats it.
   */
  readonly repeatMs?: number | false | ((latest: Result | undefined) => number | false);
  /** How long the result remains valid: until something is changed here, or even then. By default, it is requested again when it is seen again. */
  readonly isValid?: "until a change" | "always";
}

/** The options of every query: it is repeated as its settings say, and soon after a temporary error. */
function settle<Result>({ enabled = true, repeatMs = false, isValid }: CallSettings<Result>) {
  const staleTime = isValid === "always" ? "static" : isValid === "until a change" ? Infinity : freshMs;
  return {
    enabled,
    staleTime,
    refetchInterval({ state }: { state: { error: Error | null; data: unknown } }): number | false {
      if (isTemporary(state.error)) return retryMs;
      return typeof repeatMs === "function" ? repeatMs(state.data as Result | undefined) : repeatMs;
    },
    placeholderData: keepPreviousData,
  } as const;
}

/** A call as a query, kept under its name and request. */
function toQuery<Call extends Name>(client: Client, name: Call, request: Api[Call]["request"]) {
  return {
    queryKey: [name, request],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      (client[name] as unknown as Method)(request, { signal }) as Promise<Api[Call]["response"]>,
  };
}

/** The result of a call, kept under its name and request. While another request is under way, the previous result remains. */
export function useCall<Call extends Name>(
  name: Call,
  request: Api[Call]["request"],
  settings: CallSettings<Api[Call]["response"]> = {},
): UseQueryResult<Api[Call]["response"]> {
  const { client } = useSession();
  return useQuery({ ...toQuery(client, name, request), ...settle(settings) });
}

/** A request that is made for a page before it opens. */
export type Prefetch = (client: Client, queries: QueryClient) => Promise<void>;

/** Makes a call whose result `useCall` then finds. */
export function prefetchCall<Call extends Name>(name: Call, request: Api[Call]["request"]): Prefetch {
  return (client, queries) => queries.prefetchQuery({ ...toQuery(client, name, request), staleTime: freshMs });
}

/** Requests the first page of a list, which `useItems` then finds. */
export function prefetchItems<Call extends PagedCall>(
  name: Call,
  request: Omit<Api[Call]["request"], "pageToken">,
): Prefetch {
  return (client, queries) =>
    queries.prefetchInfiniteQuery({ ...toItemsQuery(client, name, request), staleTime: freshMs });
}

/** A page of a list. */
interface Page<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken: string | undefined;
}

/** A list of pages as a query, kept under its name and request. */
function toItemsQuery<Call extends PagedCall>(
  client: Client,
  name: Call,
  request: Omit<Api[Call]["request"], "pageToken">,
) {
  return {
    queryKey: [name, request, "pages"],
    queryFn: async ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
      const sent = pageParam === undefined ? request : { ...request, pageToken: pageParam };
      const response = await (client.exchange as Exchange)(name, sent, { signal });
      const body = parseJsonBody(response) as readonly PageItem<Call>[] | { readonly data: readonly PageItem<Call>[] };
      const data = "data" in body ? body.data : body;
      return { data, nextPageToken: nextPageToken(calls[name], response, body) } satisfies Page<PageItem<Call>>;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<PageItem<Call>>) => page.nextPageToken,
    gcTime: keptMs,
  };
}

/** The items of a list, how to get the next page, and how to get all of them. */
export interface Items<Item> {
  readonly items: readonly Item[];
  readonly loadAll: (signal: AbortSignal) => Promise<readonly Item[]>;
  readonly query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
}

/** The items of a list, page by page. */
export function useItems<Call extends PagedCall>(
  name: Call,
  request: Omit<Api[Call]["request"], "pageToken">,
  settings: CallSettings = {},
): Items<PageItem<Call>> {
  const { client } = useSession();
  const query = useInfiniteQuery({ ...toItemsQuery(client, name, request), ...settle(settings) });
  const loadAll = (signal: AbortSignal): Promise<readonly PageItem<Call>[]> =>
    collect(client, name, request, { signal });
  return { items: query.data?.pages.flatMap(({ data }) => data) ?? [], loadAll, query };
}

/** Returns all items of a list, in as few requests as possible. */
async function collect<Call extends PagedCall>(
  client: Client,
  name: Call,
  request: object,
  options?: CallOptions,
): Promise<readonly PageItem<Call>[]> {
  const pages = { ...request, limit: 500 } as Omit<Api[Call]["request"], "pageToken">;
  const items: PageItem<Call>[] = [];
  for await (const item of client.all(name, pages, options)) items.push(item);
  return items;
}

/** All items of a list as a query, kept under its name and request. */
function toAllQuery<Call extends PagedCall>(
  client: Client,
  name: Call,
  request: Omit<Api[Call]["request"], "pageToken" | "limit">,
) {
  return {
    queryKey: [name, request, "all"],
    queryFn: ({ signal }: { signal: AbortSignal }) => collect(client, name, request, { signal }),
  };
}

/** Requests all items of a list, which `useAllItems` then finds. */
export function prefetchAllItems<Call extends PagedCall>(
  name: Call,
  request: Omit<Api[Call]["request"], "pageToken" | "limit">,
): Prefetch {
  return (client, queries) => queries.prefetchQuery({ ...toAllQuery(client, name, request), staleTime: freshMs });
}

/** All items of a list, however many pages they take. */
export function useAllItems<Call extends PagedCall>(
  name: Call,
  request: Omit<Api[Call]["request"], "pageToken" | "limit">,
  settings: CallSettings = {},
): UseQueryResult<readonly PageItem<Call>[]> {
  const { client } = useSession();
  return useQuery({ ...toAllQuery(client, name, request), ...settle(settings) });
}

/** For how long a change waits for what is shown, in milliseconds. A slow request does not hold it up for longer. */
const patienceMs = 2_000;

/** Requests again what is shown, after a change. Resolves when it has arrived, or after a while. */
export function requestAgain(queries: QueryClient): Promise<void> {
  return Promise.race([queries.invalidateQueries(), new Promise<void>((resolve) => setTimeout(resolve, patienceMs))]);
}

/**
 * A call that changes something. Afterwards, what is shown is requested again, because a change may affect any of it. Before that, `onDone`
 * is called, so that the page of something that was deleted can be left.
 */
export function useChange<Call extends Name>(
  name: Call,
  onDone?: (response: Api[Call]["response"]) => void,
): UseMutationResult<Api[Call]["response"], Error, Api[Call]["request"]> {
  const { client } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (request: Api[Call]["request"]) =>
      (client[name] as unknown as Method)(request) as Promise<Api[Call]["response"]>,
    onSuccess: (response) => onDone?.(response),
    onSettled: () => requestAgain(queries),
  });
}
