import { useQuery } from "@tanstack/react-query";
import { ApiError } from "@switchyard/client";
import type { Client, File } from "@switchyard/client";
import { useEffect, useState } from "react";
import { firstRequests } from "../api/first-requests.ts";
import { prefetchCall } from "../api/queries.ts";
import type { Prefetch } from "../api/queries.ts";
import { useSession } from "../session/session.ts";

/** A page of a document as a picture. */
export interface PagePicture {
  /** Its address for an image element; null if the file has no pictures of pages, and undefined until it is loaded. */
  readonly address: string | null | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** A page of a document as a picture. `contentType` is that of the file, and undefined while it is not known. */
export function usePagePicture(fileId: string, number: number, contentType: string | undefined): PagePicture {
  const { data, error, refetch } = useQuery(useOptions(fileId, number, contentType));
  const [shown, setShown] = useState<{ readonly blob: Blob; readonly address: string } | undefined>(undefined);
  useEffect(() => {
    if (!(data instanceof Blob)) return undefined;
    const address = URL.createObjectURL(data);
    setShown({ blob: data, address });
    return () => URL.revokeObjectURL(address);
  }, [data]);
  const address = data instanceof Blob ? (shown?.blob === data ? shown.address : undefined) : data;
  return { address, error, refetch };
}

/** Requests the picture of a page that is likely to be looked at next. */
export function useNextPicture(
  fileId: string,
  number: number,
  contentType: string | undefined,
  enabled: boolean,
): void {
  const options = useOptions(fileId, number, contentType);
  useQuery({ ...options, enabled: options.enabled && enabled });
}

/** Requests a file and the picture of its page, which the view of the document then finds. */
export function prefetchPicture(fileId: string, number: number): Prefetch {
  return async (client, queries) => {
    await prefetchCall(...firstRequests.file(fileId))(client, queries);
    const file = queries.getQueryData<File>(firstRequests.file(fileId));
    if (file !== undefined) await queries.prefetchQuery(toOptions(client, fileId, number, file.contentType));
  };
}

function useOptions(fileId: string, number: number, contentType: string | undefined) {
  const { client } = useSession();
  return toOptions(client, fileId, number, contentType);
}

function toOptions(client: Client, fileId: string, number: number, contentType: string | undefined) {
  return {
    queryKey: ["getPageImage", fileId, number],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      /^image\/|\/pdf$/.test(contentType ?? "") ? loadPicture(client, fileId, number, signal) : null,
    enabled: contentType !== undefined,
    // The bytes of a file never change, whatever else does.
    staleTime: "static" as const,
    gcTime: 10_000,
  };
}

/** The width of pictures in pixels: sharp on most screens, and small enough to arrive at once. */
const width = 1_200;

async function loadPicture(client: Client, fileId: string, number: number, signal: AbortSignal): Promise<Blob | null> {
  try {
    const { bytes, contentType } = await client.getPageImage({ fileId, number, width }, { signal });
    return new Blob([bytes], { type: contentType });
  } catch (error) {
    if (error instanceof ApiError && error.code === "UNSUPPORTED_FORMAT") return null;
    throw error;
  }
}
