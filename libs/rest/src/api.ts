import type { DescService } from "@bufbuild/protobuf";
import { createBodyReaders } from "./requests/body.ts";
import { createRequestReader, type RequestReader } from "./requests/request.ts";
import { createResponseWriter, type ResponseWriter } from "./responses/response.ts";
import { createRouter, type Match } from "./routing/router.ts";
import { createRoutes, type Route } from "./routing/routes.ts";
import { createUploadReader, type UploadReader } from "./requests/upload.ts";
import { createJsonWriters } from "./responses/writer.ts";

/** A route with its compiled request reader and response writer. */
export interface Endpoint {
  readonly route: Route;
  readonly read: RequestReader;
  readonly write: ResponseWriter;
  /** The reader of uploads, if the method accepts a file. */
  readonly upload: UploadReader | undefined;
}

/** The REST API of services. */
export interface RestApi {
  readonly routes: readonly Route[];
  match(method: string, path: string): Match<Endpoint>;
}

/**
 * Compiles the REST API of services from their descriptors. It makes no calls: it finds the endpoint of a request, creates the request
 * message, and prints the response.
 * @throws ContractError, TemplateError or Error if a contract has no form in REST, or two rules collide
 */
export function createRestApi(services: readonly DescService[]): RestApi {
  const routes = createRoutes(services);
  const readers = createBodyReaders();
  const writers = createJsonWriters();
  const router = createRouter(
    routes.map((route) => ({
      name: `${route.service.typeName}.${route.method.name}`,
      method: route.httpMethod,
      template: route.template,
      target: {
        route,
        read: createRequestReader(route, readers),
        write: createResponseWriter(route, writers),
        upload: route.upload === undefined ? undefined : createUploadReader(route, route.upload),
      } satisfies Endpoint,
    })),
  );
  return { routes, match: (method, path) => router.match(method, path) };
}
