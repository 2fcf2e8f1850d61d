import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { ApiError } from "@switchyard/client";
import type { Client } from "@switchyard/client";
import { useEffect } from "react";
import { useSession } from "../session/session.ts";

/**
 * A page of a document as a picture: its address for an image element; null if the file has no pictures of pages. `contentType` is that of
 * the file, and undefined while it is not known.
 */
export function usePagePicture(
  fileId: string,
  number: number,
  contentType: string | undefined,
): UseQueryResult<string | null> {
  const { client } = useSession();
  const result = useQuery({
    queryKey: ["getPageImage", fileId, number],
    queryFn: ({ signal }) =>
      /^image\/|\/pdf$/.test(contentType ?? "") ? loadPicture(client, fileId, number, signal) : null,
    enabled: contentType !== undefined,
    // The bytes of a file never change.
    staleTime: Infinity,
    gcTime: 0,
  });
  const address = result.data;
  useEffect(() => () => void (typeof address === "string" && URL.revokeObjectURL(address)), [address]);
  return result;
}

/** The width of pictures in pixels: sharp on most screens, and small enough to arrive at once. */
const width = 1_200;

async function loadPicture(
  client: Client,
  fileId: string,
  number: number,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const { bytes, contentType } = await client.getPageImage({ fileId, number, width }, { signal });
    return URL.createObjectURL(new Blob([bytes], { type: contentType }));
  } catch (error) {
    if (error instanceof ApiError && error.code === "UNSUPPORTED_FORMAT") return null;
    throw error;
  }
}
