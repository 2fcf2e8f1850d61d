import { Route, Switch } from "wouter";
import type { ProjectPageProps } from "../project-page.ts";
import { RunList } from "./list/run-list.tsx";
import { Run } from "./run/run.tsx";

/** The benchmark runs of a project: the list, and a run with its parts. */
export function Benchmarks({ projectId }: ProjectPageProps) {
  return (
    <Switch>
      <Route path="/:executionId/:part?/:fileId?">
        {({ executionId, part, fileId }: { executionId: string; part?: string; fileId?: string }) => (
          <Run key={executionId} executionId={executionId} part={part ?? "overview"} fileId={fileId} />
        )}
      </Route>
      <Route>
        <RunList projectId={projectId} />
      </Route>
    </Switch>
  );
}
