import { Checkbox, MultiSelect, Radio, Select, SimpleGrid, Stack, Group, TextInput } from "@mantine/core";
import type { CreateTokenRequest, Token } from "@switchyard/client";
import { useState } from "react";
import { useChange } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { getFieldError } from "../../../dialog/fields.ts";
import { usePermissions, useSession } from "../../../session/session.ts";
import { texts } from "../../../texts/index.ts";
import { toChoices } from "../directory.ts";
import type { Directory } from "../directory.ts";
import { getGrantable, toExpiry } from "./grantable.ts";

const text = texts.administration.token;

/** What the form needs. */
export interface TokenFormProps {
  readonly directory: Directory;
  readonly onIssued: (name: string, secret: string) => void;
  readonly onClose: () => void;
}

/** What a token is to reach. The project is null while there is none to choose. */
interface Reach {
  readonly scope: Token["scope"];
  readonly projectId: string | null;
  readonly teamIds: readonly string[];
}

/** Creates a token. Offers what the caller can grant: its own permissions and reach. */
export function TokenForm({ directory, onIssued, onClose }: TokenFormProps) {
  const { me } = useSession();
  const may = usePermissions();
  const [name, setName] = useState("");
  const [chosenReach, setReach] = useState<Reach>({
    scope: "PROJECT",
    projectId: null,
    teamIds: me.token?.teamIds ?? [],
  });
  // The projects may arrive after the form was opened, so the suggestion is not kept as a choice.
  const reach = { ...chosenReach, projectId: chosenReach.projectId ?? directory.projects[0]?.id ?? null };
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [days, setDays] = useState("90");
  const [userId, setUserId] = useState(me.user?.id ?? null);
  const creation = useChange("createToken");
  const grantable = getGrantable(may, reach.scope);
  const permissions = grantable.filter((permission) => chosen.includes(permission));
  const submit = (): void => {
    const request = { name, permissions, userId, ...toScope(reach) };
    const expiresAt = toExpiry(days, new Date());
    creation.mutate(expiresAt === undefined ? request : { ...request, expiresAt }, {
      onSuccess: (issued) => {
        creation.reset();
        onIssued(issued.name, issued.secret);
      },
    });
  };
  return (
    <Dialog opened title={text.create} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <TextInput
            label={texts.administration.name}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={getFieldError(creation.error, "name")}
            maxLength={120}
            required
            data-autofocus
          />
          <ReachFields reach={reach} directory={directory} onChange={setReach} />
          <Checkbox.Group
            label={text.permissions}
            description={text.permissionsHint}
            value={permissions}
            onChange={setChosen}
            error={getFieldError(creation.error, "permissions")}
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
              {grantable.map((permission) => (
                <Checkbox key={permission} value={permission} label={permission} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
          <Select
            label={text.expiry}
            data={Object.entries(text.expiries).map(([value, label]) => ({ value, label }))}
            value={days}
            onChange={(value) => setDays(value ?? "90")}
            allowDeselect={false}
          />
          {may("organization:admin") && (
            <Select
              label={text.holder}
              data={toChoices(directory.users, userId === null ? [] : [userId])}
              value={userId}
              onChange={setUserId}
              allowDeselect={false}
              searchable
            />
          )}
          <DialogActions
            label={text.submit}
            change={creation}
            onClose={onClose}
            isDisabled={permissions.length === 0 || (reach.scope === "PROJECT" && reach.projectId === null)}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

function toScope({ scope, projectId, teamIds }: Reach): Partial<CreateTokenRequest> {
  return scope === "PROJECT" ? { scope, projectId } : { scope, teamIds };
}

/** Chooses the scope, and the project or the teams. The token of a project can only create tokens of its project. */
function ReachFields({
  reach,
  directory,
  onChange,
}: {
  reach: Reach;
  directory: Directory;
  onChange: (reach: Reach) => void;
}) {
  const { me } = useSession();
  const may = usePermissions();
  const own = me.token?.teamIds ?? [];
  const teams = may("organization:admin") ? toChoices(directory.teams, own) : toChoices([], own);
  return (
    <>
      {me.token?.scope === "ORGANIZATION" && (
        <Radio.Group label={text.scope} value={reach.scope} onChange={(scope) => onChange({ ...reach, scope })}>
          <Group mt="xs">
            <Radio value="PROJECT" label={text.scopes.PROJECT} />
            <Radio value="ORGANIZATION" label={text.scopes.ORGANIZATION} />
          </Group>
        </Radio.Group>
      )}
      {reach.scope === "PROJECT" ? (
        <Select
          label={text.project}
          data={toChoices(directory.projects, [])}
          value={reach.projectId}
          onChange={(projectId) => onChange({ ...reach, projectId })}
          allowDeselect={false}
          searchable
        />
      ) : (
        <MultiSelect
          label={text.teams}
          description={text.teamsHint}
          data={teams}
          value={[...reach.teamIds]}
          onChange={(teamIds) => onChange({ ...reach, teamIds })}
          searchable
          clearable
        />
      )}
    </>
  );
}
