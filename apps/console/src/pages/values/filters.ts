import type { ListValuesRequest, ValueRow } from "@switchyard/client";
import { toBeginning, toEnd } from "../../format/times.ts";
import type { Parameters } from "../../controls/parameters.ts";

/** The statuses of values, by which they can be filtered. */
export const statuses = ["ACCEPTED", "NEEDS_REVIEW", "UNREVIEWED"] as const;

/** The status of the values of a file. */
export type ValueStatus = (typeof statuses)[number];

/** What selects values: of `ListValuesRequest` and of an export alike. */
export type Selection = Omit<ListValuesRequest, "limit" | "pageToken">;

/** The parameters of the address that filter values. */
export const filterNames = ["status", "search", "from", "to"] as const;

/** Returns what the parameters of an address select. Days are those of the caller, and the last one is included. */
export function toSelection(deploymentId: string, parameters: Pick<Parameters, "get">): Selection {
  const [table, search] = [parameters.get("table"), parameters.get("search")];
  const status = statuses.find((each) => each === parameters.get("status"));
  const [from, to] = [toBeginning(parameters.get("from")), toEnd(parameters.get("to"))];
  return {
    deploymentId,
    ...(table !== "" && { table }),
    ...(search !== "" && { search }),
    ...(status !== undefined && { status }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

/**
 * Returns the status of a row. A row only says whether its values are accepted; the filter says the rest, or else `review`, the rows that
 * need a review: the first ones with the same filters, and whether these are all. Both lists have the newest first. Undefined for a row that
 * is not accepted and older than the known rows that need a review.
 */
export function getStatus(
  row: Pick<ValueRow, "accepted" | "fileId" | "createdAt">,
  filter: ValueStatus | undefined,
  review: { readonly items: readonly Pick<ValueRow, "fileId" | "createdAt">[]; readonly isComplete: boolean },
): ValueStatus | undefined {
  if (row.accepted) return "ACCEPTED";
  if (filter !== undefined) return filter;
  if (review.items.some(({ fileId }) => fileId === row.fileId)) return "NEEDS_REVIEW";
  return review.isComplete || isNewer(row, review.items.at(-1)) ? "UNREVIEWED" : undefined;
}

/** Whether a row is certainly before another one in a list with the newest first. */
export function isNewer(row: Pick<ValueRow, "createdAt">, other: Pick<ValueRow, "createdAt"> | undefined): boolean {
  return other !== undefined && (row.createdAt ?? "") > (other.createdAt ?? "");
}
