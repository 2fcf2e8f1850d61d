import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { UseInfiniteQueryResult, UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import { ConnectionError, ServerError } from "@switchyard/client";
import type { Api, CallOptions } from "@switchyard/client";
import { useSession } from "../session/session.ts";

type Name = keyof Api;
/** The calls that respond with one page of a list. */
type PageName = {
  [Each in Name]: Api[Each]["response"] extends { data: readonly unknown[]; nextPageToken: string | null }
    ? Each
    : never;
}[Name];

type Method = (request: object, options?: CallOptions) => Promise<unknown>;

/** How soon a call is made again that failed for a reason which passes, in milliseconds. */
const retryMs = 3_000;

/** Whether a call failed because the server is away, or has a fault of its own. */
function isTemporary(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof ServerError;
}

/** How a call is repeated by itself, and whether it is made at all. */
export interface CallSettings {
  /** False while something that the request needs is not known yet. */
  readonly enabled?: boolean;
  /** The time after which the call is made again, in milliseconds. By default, only a change that is sent, or a temporary error, repeats it. */
  readonly repeatMs?: number | false;
}

/** The result of a call, kept under its name and request. While another request is under way, the previous result remains. */
export function useCall<Call extends Name>(
  name: Call,
  request: Api[Call]["request"],
  { enabled = true, repeatMs = false }: CallSettings = {},
): UseQueryResult<Api[Call]["response"]> {
  const { client } = useSession();
  return useQuery({
    queryKey: [name, request],
    queryFn: ({ signal }) => (client[name] as unknown as Method)(request, { signal }) as Promise<Api[Call]["response"]>,
    enabled,
    refetchInterval: ({ state }) => (isTemporary(state.error) ? retryMs : repeatMs),
    placeholderData: keepPreviousData,
  });
}

/** The items of a list of pages, and how to get the next page. */
export interface Items<Item> {
  readonly items: readonly Item[];
  readonly query: UseInfiniteQueryResult;
}

/** The items of a list, page by page. */
export function useItems<Call extends PageName>(
  name: Call,
  request: Omit<Api[Call]["request"], "pageToken">,
  { enabled = true, repeatMs = false }: CallSettings = {},
): Items<Api[Call]["response"]["data"][number]> {
  const { client } = useSession();
  type Page = { data: readonly Api[Call]["response"]["data"][number][]; nextPageToken: string | null };
  const query = useInfiniteQuery({
    queryKey: [name, request, "pages"],
    queryFn: ({ pageParam, signal }) =>
      (client[name] as unknown as Method)(pageParam === undefined ? request : { ...request, pageToken: pageParam }, {
        signal,
      }) as Promise<Page>,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page) => page.nextPageToken ?? undefined,
    enabled,
    refetchInterval: ({ state }) => (isTemporary(state.error) ? retryMs : repeatMs),
    placeholderData: keepPreviousData,
  });
  return { items: query.data?.pages.flatMap(({ data }) => data) ?? [], query: query };
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
    onSettled: () => queries.invalidateQueries(),
  });
}
