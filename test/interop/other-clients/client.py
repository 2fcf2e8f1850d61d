"""Calls the gRPC port with stubs that grpcio-tools generates from proto/, and prints what it receives as JSON.

It is run by python.test.ts, which checks what it prints. Its arguments are a folder for the generated code, the target, and a file of JSON with
the token and the IDs that the calls need.
"""

import hashlib
import json
import pathlib
import subprocess
import sys

import grpc
from grpc_status import rpc_status
from google.rpc import error_details_pb2

generated, target, given_file = sys.argv[1:]
given = json.loads(pathlib.Path(given_file).read_text())

protos = sorted(
    path
    for path in pathlib.Path("proto/switchyard").glob("**/*.proto")
    if "internal" not in path.parts
)
subprocess.run(
    [sys.executable, "-m", "grpc_tools.protoc", "-Iproto", f"--python_out={generated}", f"--grpc_python_out={generated}"]
    + [str(path) for path in protos],
    check=True,
)
sys.path.insert(0, generated)

from switchyard.classifier.v1 import classifier_pb2, classifier_pb2_grpc
from switchyard.extraction.v1 import extraction_pb2, extraction_pb2_grpc
from switchyard.identity.v1 import identity_pb2, identity_pb2_grpc

mebibyte = 1024 * 1024
metadata = (("authorization", f"Bearer {given['token']}"),)
unlimited = (("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))


def connect(**options):
    return grpc.insecure_channel(target, options=unlimited, **options)


def describe(error):
    """Returns the status code of an error with the details that it carries."""
    status = rpc_status.from_call(error)
    described = {"code": error.code().name}
    for detail in status.details if status else []:
        info, request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
        if detail.Unpack(info):
            described["reason"] = info.reason
        if detail.Unpack(request):
            described["fields"] = [violation.field for violation in request.field_violations]
    return described


def failure(call):
    """Returns the description of the error that a call raises."""
    try:
        call()
    except grpc.RpcError as error:
        return describe(error)
    return {"code": "OK"}


def upload(stub, data, piece, last=True):
    def requests():
        for start in range(0, len(data), piece):
            yield extraction_pb2.UploadFileRequest(
                project_id=given["projectId"] if start == 0 else "",
                filename="invoice.pdf" if start == 0 else "",
                data=data[start : start + piece],
                last=last and start + piece >= len(data),
            )

    return stub.UploadFile(requests(), metadata=metadata)


def classify(stub, data, **options):
    content = extraction_pb2.InlineDocument(filename="invoice.txt", data=data)
    request = classifier_pb2.ClassifyRequest(classifier_id=given["classifier"], content=content, extract=False)
    return stub.Classify(request, metadata=metadata, **options)


def main():
    results = {}
    pdf = pathlib.Path("samples/invoice-harbour-lane.pdf").read_bytes()
    text = ("Invoice number INV-1, invoice date 2026-10-01, total due 10.00, payment terms 30 days.\n" * 20).encode()
    with connect() as channel:
        identity = identity_pb2_grpc.IdentityServiceStub(channel)
        extraction = extraction_pb2_grpc.ExtractionServiceStub(channel)
        classifier = classifier_pb2_grpc.ClassifierServiceStub(channel)

        sent = metadata + (("x-request-id", "from-python"),)
        me, call = identity.GetMe.with_call(identity_pb2.GetMeRequest(), metadata=sent)
        results["unary"] = [me.user.name, dict(call.initial_metadata())["x-request-id"], call.code().name]

        futures = [identity.GetMe.future(identity_pb2.GetMeRequest(), metadata=metadata) for _ in range(100)]
        results["concurrent"] = sum(future.result().user.name == me.user.name for future in futures)

        file = upload(extraction, pdf, 1000)
        pieces = [body.data for body in extraction.GetFileContent(
            extraction_pb2.GetFileContentRequest(file_id=file.id), metadata=metadata
        )]
        results["clientStream"] = [file.size == len(pdf), file.sha256 == hashlib.sha256(pdf).hexdigest()]
        results["serverStream"] = b"".join(pieces) == pdf
        results["incomplete"] = failure(lambda: upload(extraction, pdf, 1000, last=False))

        results["noToken"] = failure(lambda: identity.GetMe(identity_pb2.GetMeRequest()))
        results["notFound"] = failure(
            lambda: extraction.GetFile(extraction_pb2.GetFileRequest(file_id="fil_nothing"), metadata=metadata)
        )
        results["notFoundInStream"] = failure(
            lambda: list(
                extraction.GetFileContent(
                    extraction_pb2.GetFileContentRequest(file_id="fil_nothing"), metadata=metadata
                )
            )
        )
        results["invalid"] = failure(
            lambda: classifier.Classify(classifier_pb2.ClassifyRequest(classifier_id=given["classifier"]), metadata=metadata)
        )
        nothing = channel.unary_unary("/switchyard.identity.v1.IdentityService/Nothing")
        results["unknownMethod"] = failure(lambda: nothing(b"", metadata=metadata))
        results["noMessage"] = failure(
            lambda: channel.unary_unary("/switchyard.identity.v1.IdentityService/GetMe")(b"\xff\xff", metadata=metadata)
        )
        watch = channel.unary_stream("/grpc.health.v1.Health/Watch")
        results["deadline"] = failure(lambda: list(watch(b"", timeout=1)))
        watched = watch(b"")
        next(watched)
        watched.cancel()
        results["cancelled"] = watched.code().name

        largest = text * (25 * mebibyte // len(text))
        largest += b" " * (25 * mebibyte - len(largest))
        results["largest"] = classify(classifier, largest).route_name
        results["tooLarge"] = failure(lambda: classify(classifier, largest + b" "))
        results["overMessageLimit"] = failure(lambda: classify(classifier, largest + b" " * (12 * mebibyte)))
        results["afterRefusals"] = classify(classifier, text).route_name

    for name, compression in (("gzip", grpc.Compression.Gzip), ("deflate", grpc.Compression.Deflate)):
        with connect(compression=compression) as channel:
            stub = classifier_pb2_grpc.ClassifierServiceStub(channel)
            try:
                results[name] = classify(stub, text * 100).route_name
            except grpc.RpcError as error:
                results[name] = describe(error)
    print(json.dumps(results))


main()
