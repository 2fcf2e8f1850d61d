import { getOption, type DescService } from "@bufbuild/protobuf";
import { Permission, permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const generated = join(import.meta.dirname, "gen/switchyard");

async function allServices(): Promise<DescService[]> {
  const files = readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("_pb.ts"));
  const modules = await Promise.all(files.map((name) => import(join(generated, name)) as Promise<object>));
  return modules.flatMap((exports) =>
    Object.values(exports).filter((value): value is DescService => (value as { kind?: unknown }).kind === "service"),
  );
}

/** The files that a file needs, itself included. */
function withImports(file: DescService["file"]): string[] {
  return [file.name, ...file.dependencies.flatMap(withImports)];
}

describe("services that only other services may call", () => {
  it("are in internal packages, and no other service is", async () => {
    const services = await allServices();
    const misplaced = services.filter(({ typeName, methods }) => {
      const isInternal = methods.map((method) => getOption(method, permission) === Permission.SERVICE);
      return isInternal.some((each) => each !== /^switchyard\.\w+\.internal\.v1\./.test(typeName));
    });
    expect(services.length).toBeGreaterThanOrEqual(12);
    expect(misplaced.map(({ typeName }) => typeName)).toEqual([]);
  });

  it("are not needed by public services, so their descriptors are not published", async () => {
    const services = await allServices();
    const needed = services
      .filter(({ typeName }) => !typeName.includes(".internal."))
      .flatMap(({ file }) => withImports(file));
    expect(needed.filter((name) => name.includes("/internal/"))).toEqual([]);
  });
});
