import { getOption, type DescService } from "@bufbuild/protobuf";
import { Permission, permission } from "./gen/switchyard/annotations/v1/annotations_pb.ts";
import { listDescriptors } from "./testing/descriptors.ts";

/** All services except the vendored ones. */
async function listServices(): Promise<DescService[]> {
  return (await listDescriptors("service")).filter(({ typeName }) => typeName.startsWith("switchyard."));
}

/** Returns the files that a file needs, including itself. */
function withImports(file: DescService["file"]): string[] {
  return [file.name, ...file.dependencies.flatMap(withImports)];
}

describe("internal services", () => {
  it("are in internal packages, and no other service is", async () => {
    const services = await listServices();
    const misplaced = services.filter(({ typeName, methods }) => {
      const isInternal = methods.map((method) => getOption(method, permission) === Permission.SERVICE);
      return isInternal.some((each) => each !== /^switchyard\.\w+\.internal\.v1\./.test(typeName));
    });
    expect(services.length).toBeGreaterThanOrEqual(12);
    expect(misplaced.map(({ typeName }) => typeName)).toEqual([]);
  });

  it("are not needed by public services, so their descriptors are not published", async () => {
    const services = await listServices();
    const needed = services
      .filter(({ typeName }) => !typeName.includes(".internal."))
      .flatMap(({ file }) => withImports(file));
    expect(needed.filter((name) => name.includes("/internal/"))).toEqual([]);
  });
});
