import { createEmbeddedMongoServer } from "@switchyard/embedded-mongo";
import { connectStorage } from "@switchyard/storage";
import { eventually } from "@switchyard/storage/testing";
import mongoose from "mongoose";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, rmdirSync } from "node:fs";
import { rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRest } from "../rest.ts";
import { getBody } from "../specification/testing/office.ts";
import { startTestSystem } from "../system.ts";

/** Mounts a small disk in memory; returns undefined if this process may not do so. */
function mountDisk(mebibytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], {
    stdio: "ignore",
  });
  if (status === 0) return folder;
  rmdirSync(folder);
  return undefined;
}

const onMongod = (process.env["MONGOD_BINARY"] ?? "") !== "";
const disk = onMongod ? undefined : mountDisk(24);

// Skipped on a real MongoDB and if no disk can be mounted; libs/embedded-mongo/src/storage/disk.test.ts runs everywhere.
(disk === undefined ? describe.skip : describe)("a full disk", () => {
  const mounted = disk ?? "";
  const filler = join(mounted, "filler");
  afterEach(() => rm(filler, { force: true }));
  afterAll(() => {
    spawnSync("umount", ["-l", mounted]);
    rmdirSync(mounted);
  });

  function fill(): void {
    for (const size of [1024 * 1024, 4096]) {
      try {
        for (;;) appendFileSync(filler, Buffer.alloc(size, 1));
      } catch {
        // The remaining space is smaller than this.
      }
    }
  }

  it("rejects writes that do not fit, serves reads, keeps confirmed writes, and accepts writes again once there is space", async () => {
    const system = await startTestSystem("one process", { folder: join(mounted, "system") });
    try {
      const rest = createRest(system.url, system.token);
      const { id: projectId } = await getBody(rest.post("/api/v1/projects", { name: "Disk" }), 201);
      const kept = new Map<string, Buffer>();
      const upload = async () => {
        const bytes = Buffer.from(randomBytes(150_000).toString("hex"));
        const response = await rest.upload(`/api/v1/projects/${projectId}/files`, "some.txt", bytes);
        if (response.status === 201) kept.set(response.body.id, bytes);
        return response;
      };
      const readiness = async () => (await fetch(`${system.url}/readyz`)).status;
      const expectKept = async () => {
        for (const [id, bytes] of kept) {
          const content = await fetch(`${system.url}/api/v1/files/${id}/content`, {
            headers: { authorization: `Bearer ${system.token}` },
          });
          expect(content.status).toBe(200);
          expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
        }
      };
      expect((await upload()).status).toBe(201);
      expect(await readiness()).toBe(200);
      fill();
      let refused = await upload();
      for (let tries = 0; refused.status === 201 && tries < 100; tries += 1) refused = await upload();
      expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
        503,
        "STORAGE_FULL",
        "10",
      ]);
      const unready = await fetch(`${system.url}/readyz`);
      expect([unready.status, await unready.json()]).toMatchObject([503, { code: "STORAGE_FULL" }]);
      await expectKept();

      await rm(filler);
      for (const deadline = Date.now() + 60_000; (await readiness()) !== 200;) {
        if (Date.now() > deadline) throw new Error("not ready 30 s after there was room");
        await sleep(200);
      }
      expect((await upload()).status).toBe(201);
      await expectKept();
    } finally {
      await rm(filler, { force: true });
      await system.close();
    }
  });

  it("ends the start of a service whose collections do not fit", async () => {
    const server = await createEmbeddedMongoServer({ folder: join(mounted, "new") });
    const storage = await connectStorage({ uri: server.uri, database: "test" });
    try {
      for (let number = 0; number < 200; number += 1)
        storage.connection.model(`Thing${number}`, new mongoose.Schema({ at: Date }).index({ at: 1 }));
      fill();
      await truncate(filler, (await stat(filler)).size - 200_000);
      await expect(storage.ready()).rejects.toMatchObject({ code: 14031 });
    } finally {
      await storage.close();
      await server.close();
    }
  });

  it("does not end the process when documents expire", async () => {
    const server = await createEmbeddedMongoServer({ folder: join(mounted, "expiring"), expiryIntervalMs: 20 });
    const client = await mongoose.createConnection(server.uri, { dbName: "test" }).asPromise();
    try {
      const things = client.collection("things");
      const soon = new Date(Date.now() + 1_000);
      await things.insertMany(Array.from({ length: 150 }, () => ({ at: soon, bytes: randomBytes(10_000) })));
      await things.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
      fill();
      const insert = () => things.insertOne({ bytes: randomBytes(400_000) });
      await expect(async () => {
        for (let tries = 0; tries < 100; tries += 1) await insert();
      }).rejects.toMatchObject({ code: 14031 });
      await sleep(1_500);
      await expect(client.getClient().db("test").command({ ping: 1 })).rejects.toMatchObject({ code: 14031 });
      await rm(filler);
      for (const deadline = Date.now() + 60_000; (await things.countDocuments({ at: soon })) > 0;) {
        if (Date.now() > deadline) throw new Error("nothing expired 30 s after there was room");
        await sleep(50);
      }
      // Expired data may have been removed before the disk was full.
      const inserted = () =>
        insert().then(
          () => true,
          () => undefined,
        );
      await eventually("room for more", inserted);
    } finally {
      await client.close();
      await server.close();
    }
  });
});
