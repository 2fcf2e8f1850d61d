import type { DescMessage, DescService } from "@bufbuild/protobuf";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const generated = join(import.meta.dirname, "../gen");

/** Returns all messages or services of the contracts, including nested and vendored ones. */
export async function listDescriptors(kind: "message"): Promise<DescMessage[]>;
export async function listDescriptors(kind: "service"): Promise<DescService[]>;
export async function listDescriptors(kind: "message" | "service"): Promise<(DescMessage | DescService)[]> {
  const files = readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("_pb.ts"));
  const modules = await Promise.all(files.map((name) => import(join(generated, name)) as Promise<object>));
  return modules.flatMap((exports) =>
    Object.values(exports).filter(
      (value): value is DescMessage | DescService => (value as { kind?: unknown }).kind === kind,
    ),
  );
}
