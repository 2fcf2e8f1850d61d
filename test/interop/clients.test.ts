import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";
import {
  ClassificationSchema,
  ClassificationStatus,
  ClassifierService,
  ClassifyRequestSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { Classification, ClassifyRequest } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { create } from "@bufbuild/protobuf";
import { getProblemFacts } from "@switchyard/rpc";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { sample } from "../journeys/fixture.ts";
import { root } from "../processes.ts";
import { givenOffice } from "../specification/testing/office.ts";

/** The same call has the same response with every client library. */
describe("classifying over RPC", () => {
  const given = givenOffice();
  let content: { filename: string; contentType: string; data: Uint8Array };
  beforeAll(async () => {
    content = {
      filename: "invoice.pdf",
      contentType: "application/pdf",
      data: await sample("invoice-harbour-lane.pdf"),
    };
  });

  function expectRouted(classification: Classification): void {
    expect(classification).toMatchObject({
      status: ClassificationStatus.CLASSIFIED,
      routeName: "Invoice",
      modelId: given.office.invoices,
      targetName: "Invoices, stable",
      targetDeploymentId: given.office.deployment,
      schemaId: given.office.firstSchema,
    });
    expect(classification.scores).toHaveLength(2);
  }

  it.each(["Connect", "gRPC-Web", "gRPC"])("works with the generated client over %s", async (protocol) => {
    const transport =
      protocol === "gRPC"
        ? createGrpcTransport({ baseUrl: `http://127.0.0.1:${given.system.grpcPort}` })
        : (protocol === "Connect" ? createConnectTransport : createGrpcWebTransport)({
            baseUrl: given.system.url,
            httpVersion: "1.1",
          });
    const client = createClient(ClassifierService, transport);
    const headers = { authorization: `Bearer ${given.system.token}` };
    expectRouted(
      await client.classify(
        { classifierId: given.office.classifier, document: { case: "content", value: content } },
        { headers },
      ),
    );
    const refused = await client
      .classify({ classifierId: given.office.classifier, document: { case: "content", value: content } })
      .catch(getProblemFacts);
    expect(refused).toMatchObject({ reason: "TOKEN_MISSING" });
    const unknown = await client
      .classify({ classifierId: "clf_unknown", document: { case: "content", value: content } }, { headers })
      .catch(getProblemFacts);
    expect(unknown).toMatchObject({ reason: "CLASSIFIER_NOT_FOUND" });
  });

  it("works with a plain @grpc/grpc-js client", async () => {
    const client = new grpc.Client(`127.0.0.1:${given.system.grpcPort}`, grpc.credentials.createInsecure());
    const metadata = new grpc.Metadata();
    metadata.set("authorization", `Bearer ${given.system.token}`);
    const request = create(ClassifyRequestSchema, {
      classifierId: given.office.classifier,
      document: { case: "content", value: content },
    });
    try {
      const response = await new Promise<Classification>((resolve, reject) => {
        client.makeUnaryRequest<ClassifyRequest, Classification>(
          "/switchyard.classifier.v1.ClassifierService/Classify",
          (message) => Buffer.from(toBinary(ClassifyRequestSchema, message)),
          (bytes) => fromBinary(ClassificationSchema, bytes),
          request,
          metadata,
          (error, message) => (message === undefined ? reject(error ?? new Error("no response")) : resolve(message)),
        );
      });
      expectRouted(response);
    } finally {
      client.close();
    }
  });

  it("works with buf curl over server reflection", async () => {
    const body = {
      classifierId: given.office.classifier,
      content: { ...content, data: Buffer.from(content.data).toString("base64") },
    };
    const header = `Authorization: Bearer ${given.system.token}`;
    const url = `http://127.0.0.1:${given.system.grpcPort}/switchyard.classifier.v1.ClassifierService/Classify`;
    const args = ["curl", "--protocol", "grpc", "--http2-prior-knowledge", "--reflect-protocol", "grpc-v1"];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(root, "node_modules/@bufbuild/buf/bin/buf"),
        ...args,
        "-H",
        header,
        "--reflect-header",
        header,
        "-d",
        JSON.stringify(body),
        url,
      ],
      { cwd: root },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      status: "CLASSIFICATION_STATUS_CLASSIFIED",
      deploymentName: "Invoices, stable",
    });
  });

  it("cannot call internal methods", async () => {
    const client = new grpc.Client(`127.0.0.1:${given.system.grpcPort}`, grpc.credentials.createInsecure());
    const metadata = new grpc.Metadata();
    metadata.set("authorization", `Bearer ${given.system.token}`);
    const call = (path: string) =>
      new Promise<grpc.ServiceError | null>((resolve) => {
        const bytes = (buffer: Buffer): Buffer => buffer;
        client.makeUnaryRequest(path, bytes, bytes, Buffer.alloc(0), metadata, (error) => resolve(error));
      });
    try {
      const error = await call("/switchyard.extraction.internal.v1.DocumentService/ReadDocument");
      expect(error?.code).toBe(grpc.status.UNIMPLEMENTED);
    } finally {
      client.close();
    }
  });
});
