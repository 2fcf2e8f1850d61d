import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts } from "@switchyard/rpc";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { getBody, givenOffice } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

/** 2 s are documented, but tests share the machine. If streams were not ended, they would last for a minute. */
const timeoutMs = 60_000;

/** Section 7 of the API: open streams end when their caller loses access. */
export function openStreamSuite(where: Where): void {
  const given = givenOffice(where);
  const permissions = ["documents:read", "documents:write"];

  /** A token with access to the office's project through its own team. */
  async function issue() {
    const { rest, office } = given;
    const me = await getBody(rest.get("/api/v1/me"), 200);
    const team = { name: "Own", projectIds: [office.projectId], userIds: [me.user.id] };
    const { id: teamId } = await getBody(rest.post("/api/v1/teams", team), 201);
    const token = { name: "Own", scope: "ORGANIZATION", teamIds: [teamId], permissions };
    const { id: tokenId, secret } = await getBody(rest.post("/api/v1/tokens", token), 201);
    return { teamId, tokenId, headers: { authorization: `Bearer ${secret}` } };
  }
  type Issued = Awaited<ReturnType<typeof issue>>;

  const revoke = ({ tokenId }: Issued) =>
    getBody(given.rest.send(`/api/v1/tokens/${tokenId}`, { method: "DELETE" }), 204);
  const takeProject = ({ teamId }: Issued) =>
    getBody(given.rest.patch(`/api/v1/teams/${teamId}`, { projectIds: [] }), 200);
  const takeUser = ({ teamId }: Issued) => getBody(given.rest.patch(`/api/v1/teams/${teamId}`, { userIds: [] }), 200);

  /** Uploads slowly over REST, and returns the status that ends the upload. */
  async function slowUpload(issued: Issued, take: (issued: Issued) => Promise<unknown>): Promise<number> {
    const path = `/api/v1/projects/${given.office.projectId}/files?filename=slow.txt`;
    const headers = { ...issued.headers, "content-type": "text/plain" };
    const upload = request(`${given.system.url}${path}`, { method: "POST", headers });
    upload.on("error", () => undefined);
    const timer = setInterval(() => upload.write("more "), 20);
    await sleep(300);
    // The upload may be answered before the change is.
    const answered = once(upload, "response", { signal: AbortSignal.timeout(timeoutMs) });
    const [[response]] = await Promise.all([answered, take(issued)]);
    clearInterval(timer);
    upload.destroy();
    return response.statusCode;
  }

  /** The same over gRPC. */
  async function slowCall(issued: Issued, take: (issued: Issued) => Promise<unknown>): Promise<string> {
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${given.system.grpcPort}` });
    async function* parts() {
      yield { projectId: given.office.projectId, filename: "slow.txt" };
      for (let count = 0; count < timeoutMs / 20; count += 1) {
        yield { data: new TextEncoder().encode("more ") };
        if (count === 15) void take(issued);
        await sleep(20);
      }
      yield { last: true };
    }
    const { headers } = issued;
    const call = createClient(ExtractionService, transport).uploadFile(parts(), { headers });
    return call.then(
      () => "stored",
      (error: unknown) => getProblemFacts(error).reason,
    );
  }

  /** Downloads without reading, and returns whether the download is aborted. */
  async function slowDownload(issued: Issued, fileId: string): Promise<void> {
    const download = request(`${given.system.url}/api/v1/files/${fileId}/content`, { headers: issued.headers }).end();
    const [response] = await once(download, "response");
    response.pause();
    await sleep(300);
    await revoke(issued);
    await sleep(3_000);
    response.resume();
    await expect(once(response, "end", { signal: AbortSignal.timeout(timeoutMs) })).rejects.toMatchObject({
      code: "ECONNRESET",
    });
  }

  it("of every kind end when access is lost in any way, and nothing of them is stored", async () => {
    const { rest, office } = given;
    const large = new Uint8Array(randomBytes(24 * 1024 * 1024));
    const { id } = await getBody(rest.upload(`/api/v1/projects/${office.projectId}/files`, "large.bin", large), 201);
    const tokens = await Promise.all(Array.from({ length: 7 }, issue));
    const [one, two, three, four, five, six, seven] = tokens as [
      Issued,
      Issued,
      Issued,
      Issued,
      Issued,
      Issued,
      Issued,
    ];
    expect(
      await Promise.all([
        slowUpload(one, revoke),
        slowUpload(two, takeProject),
        slowUpload(three, takeUser),
        slowCall(four, revoke),
        slowCall(five, takeProject),
        slowCall(six, takeUser),
        slowDownload(seven, id),
      ]),
    ).toEqual([401, 403, 403, "TOKEN_INVALID", "ACCESS_LOST", "ACCESS_LOST", undefined]);
    const { data } = await getBody(rest.get(`/api/v1/projects/${office.projectId}/files`), 200);
    expect(data.map(({ filename }: any) => filename)).toEqual(["large.bin"]);
  });
}
