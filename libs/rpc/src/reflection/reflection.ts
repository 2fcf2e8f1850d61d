import type { DescService, MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "@switchyard/contracts/google/rpc/error_details";
import { file_google_rpc_status } from "@switchyard/contracts/google/rpc/status";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from "@switchyard/contracts/grpc/reflection/v1/reflection";
import { indexForReflection, type ReflectionIndex } from "./reflection-index.ts";
import { register, type ServiceRegistration } from "../serving/registration.ts";
import { untilAborted } from "../streams.ts";
import { createReflectionV1Alpha } from "./v1alpha.ts";

type ReflectionResponse = MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"];

/**
 * Creates the gRPC reflection service for `services` and itself, so that `grpcurl` and `buf curl` need no files: as `grpc.reflection.v1`, and
 * as `grpc.reflection.v1alpha` for clients that know no other name. It returns the descriptors that the services need, including options and
 * the types of error details, but no other services. The descriptors are collected for the first call, because that takes longer than the rest
 * of a start. Its calls end when `draining` is aborted.
 */
export function reflectionServices(services: readonly DescService[], draining: AbortSignal): ServiceRegistration[] {
  const v1alpha = createReflectionV1Alpha();
  let index: ReflectionIndex | undefined;
  const getIndex = (): ReflectionIndex =>
    (index ??= indexForReflection(
      [...services, ServerReflection, v1alpha],
      [file_google_rpc_status, file_google_rpc_error_details],
    ));
  const v1 = register(ServerReflection, {
    async *serverReflectionInfo(requests) {
      try {
        for await (const request of untilAborted(requests, draining)) {
          yield { validHost: request.host, originalRequest: request, messageResponse: toResponse(getIndex(), request) };
        }
      } catch (error) {
        if (!draining.aborted) throw error;
      }
    },
  });
  return [v1, { service: v1alpha, implementation: v1.implementation }];
}

function toResponse(
  index: ReflectionIndex,
  { messageRequest }: ServerReflectionRequest,
): NonNullable<ReflectionResponse> {
  switch (messageRequest.case) {
    case "fileByFilename":
      return files(index, index.fileNamed(messageRequest.value), messageRequest.value);
    case "fileContainingSymbol":
      return files(index, index.fileWithSymbol(messageRequest.value), messageRequest.value);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = messageRequest.value;
      const file = index.fileWithExtension(containingType, extensionNumber);
      return files(index, file, `${containingType} with extension ${extensionNumber}`);
    }
    case "allExtensionNumbersOfType": {
      const extensionNumber = index.extensionNumbers(messageRequest.value);
      if (extensionNumber === undefined) return notFound(messageRequest.value);
      return {
        case: "allExtensionNumbersResponse",
        value: { baseTypeName: messageRequest.value, extensionNumber },
      };
    }
    case "listServices":
      return { case: "listServicesResponse", value: { service: index.serviceNames.map((name) => ({ name })) } };
    case undefined:
      return {
        case: "errorResponse",
        value: { errorCode: Code.InvalidArgument, errorMessage: "The request asks for nothing." },
      };
  }
}

function files(
  index: ReflectionIndex,
  file: Parameters<ReflectionIndex["withImports"]>[0] | undefined,
  requestedName: string,
) {
  if (file === undefined) return notFound(requestedName);
  return {
    case: "fileDescriptorResponse",
    value: { fileDescriptorProto: index.withImports(file) },
  } as const;
}

function notFound(requestedName: string) {
  return {
    case: "errorResponse",
    value: { errorCode: Code.NotFound, errorMessage: `Not found: ${requestedName}` },
  } as const;
}
