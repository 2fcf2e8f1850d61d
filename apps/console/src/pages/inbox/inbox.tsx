import { Route, Switch } from "wouter";
import type { ProjectPageProps } from "../project-page.ts";
import { ClassificationReview } from "./classification-review.tsx";
import { ExtractionReview } from "./extraction-review.tsx";
import { Lists } from "./lists.tsx";

/** What comes in, the review list first, and the review of a document. */
export function Inbox({ projectId }: ProjectPageProps) {
  return (
    <Switch>
      <Route path="/">
        <Lists projectId={projectId} />
      </Route>
      <Route path="/classifications/:classifierId/:classificationId">
        {({ classifierId, classificationId }) => (
          <ClassificationReview
            key={classificationId}
            projectId={projectId}
            classifierId={classifierId}
            classificationId={classificationId}
          />
        )}
      </Route>
      <Route path="/extractions/:extractionId">
        {({ extractionId }) => (
          <ExtractionReview key={extractionId} projectId={projectId} extractionId={extractionId} />
        )}
      </Route>
    </Switch>
  );
}
