import type { DescService } from "@bufbuild/protobuf";
import { BenchmarkService } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { EventService } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import { RiskService } from "@switchyard/contracts/switchyard/benchmark/v1/risk";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ReviewService } from "@switchyard/contracts/switchyard/classifier/v1/review";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { EngineService } from "@switchyard/contracts/switchyard/configuration/v1/engines";
import { AcceptedValuesService } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { JobService } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { ValuesService } from "@switchyard/contracts/switchyard/extraction/v1/values";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";

/** The audiences of the processes that serve public services. */
export type Audience = "configuration" | "extraction" | "classifier" | "benchmark";

/** The public services and the audience that serves each of them. */
export const publicServices: readonly { readonly service: DescService; readonly audience: Audience }[] = [
  { service: IdentityService, audience: "configuration" },
  { service: ConfigurationService, audience: "configuration" },
  { service: EngineService, audience: "configuration" },
  { service: ExtractionService, audience: "extraction" },
  { service: AcceptedValuesService, audience: "extraction" },
  { service: ValuesService, audience: "extraction" },
  { service: JobService, audience: "extraction" },
  { service: ClassifierService, audience: "classifier" },
  { service: ReviewService, audience: "classifier" },
  { service: BenchmarkService, audience: "benchmark" },
  { service: RiskService, audience: "benchmark" },
  { service: EventService, audience: "benchmark" },
];
