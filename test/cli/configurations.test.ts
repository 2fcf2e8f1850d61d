import { getBody, givenOffice } from "../specification/testing/office.ts";
import { createCliRunner, ended, type CliRunner } from "./terminal.ts";

describe("the configuration of a model", () => {
  const given = givenOffice();
  let cli: CliRunner;
  beforeAll(async () => {
    cli = await createCliRunner(given.system);
  });
  afterAll(() => cli.remove());

  const output = async (argv: string[], stdin?: string): Promise<any> => {
    const ran = await ended(cli.run(["deployments", ...argv, "-o", "json"], stdin === undefined ? {} : { stdin }), 0);
    return JSON.parse(ran.stdout);
  };
  const create = async (name: string, configuration: string): Promise<string> =>
    (
      await output(
        ["create", "--project-id", given.office.projectId, "--name", name, "--configuration", "-"],
        configuration,
      )
    ).id;
  /** Returns what can be set, with columns by the slugs of their tables. */
  const settable = ({ instructions, tables, columns, extractionSettings }: any) => ({
    ...{ instructions, extractionSettings },
    tables: tables.map(({ id: _, ...table }: any) => table),
    columns: columns.map(({ id: _, tableId, ...column }: any) => [
      tables.find(({ id }: any) => id === tableId).slug,
      column,
    ]),
  });

  it("is read from standard input", async () => {
    const id = await create("From a pipe", '{"tables":[{"slug":"letter"}],"columns":[{"slug":"sender"}]}');
    const { columns } = await getBody(given.rest.get(`/api/v1/deployments/${id}/configuration`), 200);
    expect(columns).toMatchObject([{ slug: "sender" }]);
  });

  it("can be given as `deployments config` prints it", async () => {
    const printed = await output(["config", given.office.invoices]);
    expect(printed.tables.length).toBeGreaterThan(1);
    const id = await create("A copy", JSON.stringify(printed));
    expect(settable(await output(["config", id]))).toEqual(settable(printed));
    const again = await output(
      ["update-config", given.office.invoices, "--configuration", "-"],
      JSON.stringify(printed),
    );
    expect(again).toEqual(printed);
    const bare = await output(["create", "--project-id", given.office.projectId, "--name", "Bare"]);
    const none = await output(["config", bare.id]);
    const second = await output(["config", await create("Also bare", JSON.stringify(none))]);
    expect([none.extractionSchemaId, second.extractionSchemaId]).toEqual([null, null]);
  });

  it.each([
    ["[]", "standard input is not a JSON object"],
    ["{", "standard input cannot be read as JSON"],
    [Buffer.from('{"instructions":"Größe"}', "latin1"), "standard input cannot be read as JSON"],
  ])("is refused if it is no JSON object: %s", async (stdin, message) => {
    const ran = await ended(
      cli.run(["deployments", "update-config", given.office.invoices, "--configuration", "-"], { stdin }),
      2,
    );
    expect(ran.stderr).toContain(message);
  });
});
