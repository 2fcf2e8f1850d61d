import { Code, createClient } from "@connectrpc/connect";
import type { Interceptor, ServiceImpl } from "@connectrpc/connect";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { createDirectTransport, getProblemFacts, register } from "@switchyard/rpc";
import { getCaller, identityKey, withIdentity } from "../caller.ts";
import type { Identity } from "../caller.ts";
import { identityHeader } from "./identity-claims.ts";
import { createIdentityKeys } from "./identity-keys.ts";
import { identitySigner } from "./identity-signer.ts";
import { identityVerifier } from "./identity-verifier.ts";
import { testCaller } from "../testing/callers.ts";

const keys = createIdentityKeys(new Uint8Array(32).fill(1));
const caller = testCaller({ projectIds: ["prj_ä", "prj_2"] });

/** Creates a service behind a verifier with its own clock, and functions that call it through these client interceptors. */
function setUp(interceptors: Interceptor[], now: () => number = () => 0) {
  const seen: (Identity | undefined)[] = [];
  const implementation: Partial<ServiceImpl<typeof IdentityService>> = {
    getMe: (_request, context) => {
      seen.push(context.values.get(identityKey));
      return { token: { id: getCaller(context).tokenId } };
    },
  };
  const transport = createDirectTransport({
    services: [
      register(IdentityService, implementation as ServiceImpl<typeof IdentityService>),
      register(IdentityLookupService, {
        verifyToken: () => caller,
        resolveProjects: () => ({}),
        getQuotas: () => ({}),
      }),
    ],
    serverInterceptors: [identityVerifier({ audience: "configuration", keys, now })],
    interceptors,
  });
  const options = (values: Identity) => ({ contextValues: withIdentity(values) });
  return {
    seen,
    getMe: (identity: Identity) => createClient(IdentityService, transport).getMe({}, options(identity)),
    verifyToken: (identity: Identity) =>
      createClient(IdentityLookupService, transport).verifyToken({}, options(identity)),
  };
}

function signer(options: Partial<Parameters<typeof identitySigner>[0]> = {}): Interceptor {
  return identitySigner({ service: "gateway", audience: "configuration", keys, now: () => 0, ...options });
}

/** Changes the identity header of a request. */
function tampering(change: (header: string) => string | null): Interceptor {
  return (next) => (request) => {
    const changed = change(request.header.get(identityHeader) ?? "");
    if (changed === null) request.header.delete(identityHeader);
    else request.header.set(identityHeader, changed);
    return next(request);
  };
}

async function refusal(call: Promise<unknown>): Promise<string> {
  const facts = await call.then(
    () => undefined,
    (error: unknown) => getProblemFacts(error),
  );
  return facts === undefined ? "accepted" : `${Code[facts.code]} ${facts.reason}`;
}

const gateway = { service: "ignored", caller };

describe("signed identities", () => {
  it("carry the acting service and the complete caller", async () => {
    const { seen, getMe } = setUp([signer({ service: "classifier" })]);
    expect((await getMe(gateway)).token?.id).toBe("tok_1");
    expect(seen).toEqual([{ service: "classifier", caller }]);
  });

  it("carry a caller with 1,000 projects in a header under 64 KiB", async () => {
    const many = testCaller({
      projectIds: Array.from({ length: 1000 }, (_, index) => `prj_${String(index).padStart(26, "0")}`),
    });
    let size = 0;
    const measure = tampering((header) => {
      size = header.length;
      return header;
    });
    const { seen, getMe } = setUp([signer(), measure]);
    await getMe({ service: "gateway", caller: many });
    expect(seen[0]?.caller?.projectIds).toHaveLength(1000);
    expect(size).toBeLessThan(44_000);
  });

  it("of a caller with more projects than a header can carry cause a clear error", async () => {
    const { getMe } = setUp([signer()]);
    const projectIds = Array.from({ length: 1500 }, (_, index) => `prj_${String(index).padStart(26, "0")}`);
    const call = getMe({ service: "gateway", caller: testCaller({ projectIds }) });
    expect(await refusal(call)).toBe("ResourceExhausted TOO_MANY_PROJECTS");
  });

  it.each<[string, Interceptor[]]>([
    ["missing", []],
    ["empty", [signer(), tampering(() => "")]],
    ["for another audience", [signer({ audience: "extraction" })]],
    [
      "for another audience, signed with this one's key",
      [signer({ audience: "extraction", keys: { getKey: () => keys.getKey("configuration") } })],
    ],
    ["signed with another secret", [signer({ keys: createIdentityKeys(new Uint8Array(32).fill(2)) })]],
    ["60 s old", [signer({ now: () => -60_000 })]],
    ["from too far in the future", [signer({ now: () => 5_001 })]],
    ["truncated", [signer(), tampering((header) => header.slice(0, -1))]],
    ["without its signature", [signer(), tampering((header) => header.slice(0, header.lastIndexOf(".") + 1))]],
    ["duplicated", [signer(), tampering((header) => `${header}, ${header}`)]],
    ["with another caller's part", [signer(), tampering((header) => header.replace(/\.[^.]*\./, ".CgN0b2s."))]],
    ["with another expiry", [signer(), tampering((header) => header.replace(/^[^.]*/, createClaims(120_000)))]],
  ])("that are %s are rejected", async (_name, interceptors) => {
    const { getMe, seen } = setUp(interceptors);
    expect(await refusal(getMe(gateway))).toBe("Unauthenticated IDENTITY_INVALID");
    expect(seen).toEqual([]);
  });

  it("are valid for just under 60 s", async () => {
    const { getMe } = setUp([signer({ now: () => -59_999 })]);
    expect(await refusal(getMe(gateway))).toBe("accepted");
  });

  it("without a caller can call only internal methods", async () => {
    const { getMe, verifyToken } = setUp([signer()]);
    const nobody = { service: "gateway", caller: undefined };
    expect(await refusal(getMe(nobody))).toBe("Unauthenticated CALLER_MISSING");
    expect(await refusal(verifyToken(nobody))).toBe("accepted");
  });

  it("of the gateway with a caller cannot call internal methods, but those of a service can", async () => {
    expect(await refusal(setUp([signer()]).verifyToken(gateway))).toBe("PermissionDenied SERVICE_ONLY");
    expect(await refusal(setUp([signer({ service: "classifier" })]).verifyToken(gateway))).toBe("accepted");
  });
});

describe("createIdentityKeys", () => {
  it("derives a different, stable key for each audience, and requires a secret of 32 bytes", () => {
    const again = createIdentityKeys(new Uint8Array(32).fill(1));
    expect(keys.getKey("configuration")).toHaveLength(32);
    expect(again.getKey("configuration")).toEqual(keys.getKey("configuration"));
    expect(keys.getKey("extraction")).not.toEqual(keys.getKey("configuration"));
    expect(() => createIdentityKeys(new Uint8Array(31))).toThrow("32 bytes");
  });
});

function createClaims(expiresAt: number): string {
  return Buffer.from(JSON.stringify({ service: "gateway", audience: "configuration", expiresAt })).toString(
    "base64url",
  );
}
