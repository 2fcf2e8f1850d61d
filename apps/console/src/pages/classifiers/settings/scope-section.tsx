import { Button, Stack, Text, Title } from "@mantine/core";
import type { ClassifierDetail } from "@switchyard/client";
import { useState } from "react";
import { useLocation } from "wouter";
import { useCall, useChange } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { usePermissions } from "../../../session/session.ts";
import { texts } from "../../../texts/index.ts";
import { findScopeOffer } from "./scope-offer.ts";
import type { ScopeOffer } from "./scope-offer.ts";

const words = texts.classifiers.scopes;

/** The scope of a classifier, and the change of it that is possible, with what it means, or why it is not offered. */
export function ScopeSection({ projectId, classifier }: { projectId: string; classifier: ClassifierDetail }) {
  const may = usePermissions();
  const projects = useCall("listProjects", {}).data?.data ?? [];
  // The dialog stays about the change that it was opened for, although afterwards the opposite one is offered.
  const [asked, setAsked] = useState<ScopeOffer["action"] | undefined>(undefined);
  const [first] = classifier.routeProjects;
  const offer = findScopeOffer(
    classifier,
    may("organization:models:edit"),
    projects.map(({ id }) => id),
  );
  const label = words[offer.action];
  return (
    <Stack gap="xs" align="start">
      <Title order={2} size="h4">
        {words.title}
      </Title>
      <Text size="sm">{classifier.isGlobal ? words.isGlobal : words.isProject(first?.name ?? "")}</Text>
      {offer.refusal === undefined ? (
        <Button variant="default" onClick={() => setAsked(offer.action)}>
          {label}
        </Button>
      ) : (
        <Text size="sm">
          {label}: {explain(offer.refusal)}
        </Text>
      )}
      <Dialog
        opened={asked !== undefined}
        title={asked === undefined ? "" : words[asked]}
        onClose={() => setAsked(undefined)}
      >
        {asked !== undefined && (
          <ScopeChange
            projectId={projectId}
            classifier={classifier}
            action={asked}
            onClose={() => setAsked(undefined)}
          />
        )}
      </Dialog>
    </Stack>
  );
}

function ScopeChange({
  projectId,
  classifier,
  action,
  onClose,
}: {
  projectId: string;
  classifier: ClassifierDetail;
  action: ScopeOffer["action"];
  onClose: () => void;
}) {
  const [, navigate] = useLocation();
  const change = useChange(action);
  const isGlobal = action === "makeGlobal";
  const confirm = (): void =>
    change.mutate(
      { classifierId: classifier.id },
      {
        onSuccess(changed) {
          onClose();
          // A classifier is listed where it belongs.
          if (changed.projectId !== null && changed.projectId !== projectId)
            navigate(`~/console/projects/${changed.projectId}/classifiers/${changed.id}`);
        },
      },
    );
  return (
    <Stack>
      <Text size="sm">
        {isGlobal ? words.makeGlobalMeaning : words.makeProjectScopedMeaning(classifier.routeProjects[0]?.name ?? "")}
      </Text>
      {isGlobal && classifier.deploymentRoutes.length === 0 && <Text size="sm">{words.makeGlobalWithoutRoutes}</Text>}
      <DialogActions label={words[action]} change={change} onClose={onClose} onConfirm={confirm} />
    </Stack>
  );
}

function explain(refusal: NonNullable<ScopeOffer["refusal"]>): string {
  switch (refusal.code) {
    case "NO_PERMISSION":
      return words.notOffered(words.noPermission);
    case "NO_ROUTES":
      return words.notOffered(words.noRoutes);
    case "SPANS_PROJECTS":
      return words.notOffered(words.spans(refusal.projects));
    case "OUT_OF_REACH":
      return words.notOffered(words.outOfReach(refusal.project));
  }
}
