import type { DescService } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";

/** A service of the contracts and what answers it. */
export interface ServiceRegistration {
  service: DescService;
  implementation: ServiceImpl<DescService>;
}

/** Puts a service and its implementation together, checked against each other by their types. */
export function register<S extends DescService>(service: S, implementation: ServiceImpl<S>): ServiceRegistration {
  return { service, implementation };
}
