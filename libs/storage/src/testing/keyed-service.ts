import { create } from "@bufbuild/protobuf";
import type { DescService } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import type { Client, Interceptor, ServiceImpl } from "@connectrpc/connect";
import { withIdentity } from "@switchyard/access";
import {
  ExtractionService,
  FileSchema,
  type UploadFileRequest,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import {
  IdentityService,
  IssuedTokenSchema,
  ProjectSchema,
  UserSchema,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import {
  createDirectTransport,
  getProblemFacts,
  invalid,
  register,
  serverInterceptors,
  createLogger,
} from "@switchyard/rpc";
import mongoose from "mongoose";
import type { ClientSession, Model } from "mongoose";
import { newId } from "../ids.ts";
import type { Storage } from "../index.ts";

/** Functions that a test can run before, during and after an effect. */
export interface Moments {
  before(name: string): Promise<void>;
  within(session: ClientSession): void;
  after(name: string): Promise<void>;
}

interface Effect {
  _id: string;
  name: string;
}

/** Minimal services with effects in a storage, called with idempotency keys. */
export interface KeyedService {
  readonly effects: Model<Effect>;
  readonly identities: Client<typeof IdentityService>;
  readonly files: Client<typeof ExtractionService>;
  /** Creates a project, with a key if given. Returns its ID, after "replayed" for a repeated call, or the reason of an error. */
  createProject(name: string, key?: string, tokenId?: string): Promise<string>;
  /** Does the same for an upload of these bytes, one message each. */
  upload(name: string, pieces: readonly string[], key: string): Promise<string>;
}

/** Serves these services in this process. A project named "bad" is rejected. */
export function serveKeyed(storage: Storage, moments: Partial<Moments> = {}): KeyedService {
  const schema = new mongoose.Schema<Effect>({ _id: String, name: String }, { versionKey: false });
  const effects = storage.connection.model<Effect>("effects", schema, "effects");
  const effect = (name: string) => ({ _id: newId("eff"), name });

  const identityService: Partial<ServiceImpl<typeof IdentityService>> = {
    async createProject({ name }) {
      await moments.before?.(name);
      const made = effect(name);
      await storage.atomically(
        async (session) => {
          await effects.create([made], { session });
          moments.within?.(session);
          if (name === "bad") throw invalid([{ field: "name", message: "is bad" }]);
        },
        () => create(ProjectSchema, { id: made._id, name: "as it was made" }),
      );
      await moments.after?.(name);
      return create(ProjectSchema, { id: made._id, name: "as it was answered" });
    },
    async createUser({ name }) {
      const made = effect(name);
      await storage.withKey(
        (session) => effects.create([made], session === undefined ? {} : { session }),
        () => create(UserSchema, { id: made._id }),
      );
      return { id: made._id };
    },
    async createToken({ name }) {
      const response = create(IssuedTokenSchema, { id: newId("tok"), secret: "swo_secret" });
      await storage.atomically(
        (session) => effects.create([effect(name)], { session }),
        () => response,
      );
      return response;
    },
    async createTeam() {
      await effects.create([effect("without its key")]);
      return {};
    },
  };
  const extractionService: Partial<ServiceImpl<typeof ExtractionService>> = {
    async uploadFile(requests: AsyncIterable<UploadFileRequest>) {
      let size = 0;
      for await (const { data } of requests) size += data.length;
      const made = effect("file");
      const response = create(FileSchema, { id: made._id, size });
      await storage.atomically(
        (session) => effects.create([made], { session }),
        () => response,
      );
      return response;
    },
  };
  const identified: Interceptor = (next) => (request) => {
    const caller = create(CallerSchema, {
      tokenId: request.header.get("x-token") ?? "tok_1",
      userId: "usr_1",
      organizationId: "org_1",
    });
    withIdentity({ service: "gateway", caller }, request.contextValues);
    return next(request);
  };
  const logger = createLogger({ name: "test", level: "silent" });
  const transport = createDirectTransport({
    services: [
      storage.idempotent(registerSome(IdentityService, identityService)),
      storage.idempotent(registerSome(ExtractionService, extractionService)),
    ],
    serverInterceptors: [...serverInterceptors({ logger }), identified],
  });
  const identities = createClient(IdentityService, transport);
  const files = createClient(ExtractionService, transport);

  return {
    effects,
    identities,
    files,
    createProject: (name, key, tokenId = "tok_1") =>
      outcome(key, { "x-token": tokenId }, (options) => identities.createProject({ name }, options)),
    upload: (filename, pieces, key) =>
      outcome(key, {}, (options) => files.uploadFile(toMessages(filename, pieces), options)),
  };
}

function registerSome<S extends DescService>(service: S, implementation: Partial<ServiceImpl<S>>) {
  return register(service, implementation as ServiceImpl<S>);
}

interface Options {
  headers: Record<string, string>;
  onHeader: (headers: Headers) => void;
}

async function outcome(
  key: string | undefined,
  headers: Record<string, string>,
  call: (options: Options) => Promise<{ id: string; name?: string }>,
): Promise<string> {
  let replayed = "";
  const onHeader = (headers: Headers) => {
    if (headers.get("idempotency-replayed") === "true") replayed = "replayed ";
  };
  try {
    const response = await call({
      headers: { ...headers, ...(key === undefined ? {} : { "idempotency-key": key }) },
      onHeader,
    });
    return `${replayed}${response.id}${response.name === "as it was made" ? " as it was made" : ""}`;
  } catch (error) {
    return getProblemFacts(error).reason;
  }
}

async function* toMessages(filename: string, pieces: readonly string[]) {
  yield { projectId: "prj_1", filename };
  for (const piece of pieces) yield { data: Buffer.from(piece) };
  yield { last: true };
}
