import { eventually } from "@switchyard/storage/testing";
import { as, callerWith, createSystem, model, projects, useSurroundings, utf8 } from "../../testing/system.ts";

const surroundings = useSurroundings();
const caller = callerWith([projects.payables]);

it("current values are derived from extractions and accepted values of earlier versions", async () => {
  const system = await createSystem(surroundings);
  try {
    const { connection } = system.storage;
    const values = connection.collection("current_values");
    const upload = (name: string) => system.upload(caller, projects.payables, name, utf8(name));
    const [extracted, accepted] = [await upload("extracted.txt"), await upload("accepted.txt")];
    const { id } = await system.gateway.createExtraction({ targetId: model.id, fileId: extracted.id }, as(caller));
    const other = await system.gateway.createExtraction({ targetId: model.id, fileId: accepted.id }, as(caller));
    await system.accepted.acceptExtraction({ extractionId: other.id }, as(caller));
    const before = await values.find({}).sort({ position: 1 }).toArray();
    expect(before.map(({ filename, status }) => [filename, status])).toEqual([
      ["extracted.txt", "UNREVIEWED"],
      ["accepted.txt", "ACCEPTED"],
    ]);

    await values.deleteMany({});
    await connection.collection("extractions").updateMany({}, { $unset: { review: 1, valuesVersion: 1 } });
    await connection.collection("accepted").updateMany({}, { $unset: { valuesVersion: 1 } });
    system.service.start();
    const find = () => values.find({}).sort({ position: 1 }).toArray();
    const filled = await eventually("current values", async () => {
      const found = await find();
      return found.length === before.length && found.some(({ accepted }) => accepted === true) ? found : undefined;
    });
    expect(filled).toEqual(before);
    expect(await connection.collection("extractions").findOne({ _id: id as never })).toMatchObject({ review: null });
  } finally {
    await system.close();
  }
});
