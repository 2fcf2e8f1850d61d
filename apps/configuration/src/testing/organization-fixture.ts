import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { IssuedToken } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { useDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import type { BootstrappedOrganization } from "../bootstrap.ts";
import { as, startTestService } from "./test-service.ts";
import type { TestService } from "./test-service.ts";

/** A service with one organization. Every test gets a new one, so its members are only available within tests. */
export interface OrganizationFixture {
  service: TestService;
  /** The organization with its first user, team and token. */
  first: BootstrappedOrganization;
  /** The caller with the first token, and the projects that it reaches since the last `createProject`. */
  admin: Caller;
  /** The time of the service. */
  time: Date;
  /** Advances the time. */
  advance(milliseconds: number): void;
  createToken(permissions?: string[]): Promise<IssuedToken>;
  /** Creates a project, and returns its id. */
  createProject(name?: string): Promise<string>;
}

/** Provides a service on the given server. */
export function useOrganization(provide: () => Promise<TestDatabase>): OrganizationFixture {
  const database = useDatabase(provide);
  const fixture = {
    advance(milliseconds) {
      fixture.time = new Date(fixture.time.getTime() + milliseconds);
    },
    createToken: (permissions = ["classify"]) =>
      fixture.service.identity.createToken(
        { name: "T", scope: TokenScope.ORGANIZATION, teamIds: [fixture.first.team.id], permissions },
        as(fixture.admin),
      ),
    async createProject(name = "P") {
      const { id } = await fixture.service.identity.createProject({ name }, as(fixture.admin));
      fixture.admin = await fixture.service.caller(fixture.first.secret);
      return id;
    },
  } as OrganizationFixture;

  beforeEach(async () => {
    fixture.time = new Date("2026-03-04T05:06:07.089Z");
    fixture.service = await startTestService(database.uri, () => fixture.time);
    fixture.first = await fixture.service.bootstrap();
    fixture.admin = await fixture.service.caller(fixture.first.secret);
  });

  afterEach(() => fixture.service.close());

  return fixture;
}
