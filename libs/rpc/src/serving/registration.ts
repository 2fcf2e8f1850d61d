import type { DescService } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";

/** A service and its implementation. */
export interface ServiceRegistration {
  service: DescService;
  implementation: ServiceImpl<DescService>;
}

/** Pairs a service with an implementation of the matching type. */
export function register<S extends DescService>(service: S, implementation: ServiceImpl<S>): ServiceRegistration {
  return { service, implementation };
}
