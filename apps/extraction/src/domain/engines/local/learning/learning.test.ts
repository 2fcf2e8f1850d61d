import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  ColumnSchema,
  ColumnType,
  ConfigurationSchema,
  MatchingKind,
  MatchingSchema,
  TableSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { extractTables } from "../extract.ts";
import { assignFolds } from "../../../accepted/folds.ts";
import { chooseByValue } from "./column.ts";
import { learn, toExamples } from "./learn.ts";
import { remember } from "./memory.ts";
import type { Example, LabeledFile, Option } from "./example.ts";

const configuration = create(ConfigurationSchema, {
  tables: [create(TableSchema, { id: "ticket", slug: "ticket", name: "Ticket", isPrimary: true })],
  columns: [
    create(ColumnSchema, { id: "amount", tableId: "ticket", slug: "amount", name: "Total", type: ColumnType.TEXT }),
    create(ColumnSchema, {
      id: "shop",
      tableId: "ticket",
      slug: "shop",
      name: "Seller",
      type: ColumnType.TEXT,
      index: 1,
    }),
  ],
});
const string = (value: string) => create(ValueSchema, { kind: { case: "stringValue", value } });

/** A ticket on which the sum that counts is named by a word that no rule knows. */
function ticket(number: number): ReturnType<typeof toDocument> {
  const due = `${number + 10}.${String(10 + number)}`;
  return toDocument([
    `SHOP ${"ABCDEFGHIJKLMNOPQRST"[number] ?? "Z"}ARTO LTD`,
    "Thank you",
    `Total: ${number}.99`,
    `Zaplatit ${due}`,
    "Bye",
  ]);
}

function toDocument(lines: readonly string[]) {
  return create(DocumentTextSchema, {
    reader: "test/1",
    pages: [
      {
        number: 1,
        lines: lines.map((text) => ({
          text,
          words: [...text.matchAll(/\S+/gu)].map((word) => ({ text: word[0], offset: word.index })),
        })),
      },
    ],
  });
}

function labeled(number: number, values?: LabeledFile["values"]): LabeledFile {
  const amount = string(`${number + 10}.${String(10 + number)}`);
  return { id: `fil_${String(number).padStart(2, "0")}`, document: ticket(number), values: values ?? { amount } };
}

const learnFrom = (files: readonly LabeledFile[]) => learn(files.map((file) => toExamples(file, configuration)));
const valueOf = (number: number, learned?: ReturnType<typeof learn>) =>
  extractTables(ticket(number), configuration, learned)[0]?.rows[0]?.values["amount"]?.kind.value;

describe("learning from accepted files", () => {
  const files = Array.from({ length: 8 }, (_, index) => labeled(index));

  test("prefers what was accepted to what the rules choose, with its place and a confidence", () => {
    expect(valueOf(15)).toBe("15.99");
    const row = extractTables(ticket(15), configuration, learnFrom(files))[0]?.rows[0];
    expect(row?.values["amount"]?.kind.value).toBe("25.25");
    expect(row?.evidence["amount"]).toMatchObject({ page: 1, quote: "25.25" });
    expect(row?.confidence["amount"]).toBeGreaterThan(0.5);
  });

  test("does not treat what matches by the matching of the column as a correction", () => {
    const total = create(ColumnSchema, {
      id: "total",
      tableId: "ticket",
      slug: "total",
      name: "Total",
      type: ColumnType.NUMBER,
    });
    const tolerant = {
      ...total,
      matching: create(MatchingSchema, { kind: MatchingKind.NUMERIC, absoluteTolerance: 0.02 }),
    };
    // A person rounds 3.99, which the rules choose, to 4.
    const rounded = labeled(3, { total: create(ValueSchema, { kind: { case: "numberValue", value: 4 } }) });
    const teach = (column: typeof total) => {
      const example = toExamples(rounded, { ...configuration, columns: [column] }).get("total");
      return [example?.ruleRight, example?.right.includes(true)];
    };
    expect(teach(total)).toEqual([false, false]);
    expect(teach(tolerant)).toEqual([true, true]);
  });

  test("is more certain of what was accepted before than of new values, of which a part was corrected", () => {
    const names = (index: number) =>
      `${"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index] ?? ""}ORVEN ${"KLMNOPQRST"[index % 10] ?? ""}ILLS`;
    const shop = (name: string) => toDocument([`${name} LTD`, "Thank you", "Seller: " + name, "Total: 3.99"]);
    const learned = learnFrom(
      Array.from({ length: 40 }, (_, index): LabeledFile => {
        // Half of the tickets are of one shop. Of the others, every second name was completed by a person.
        const name = index % 2 === 0 ? "VALTERRA MARKET" : names((index - 1) / 2);
        const accepted = index % 4 === 1 ? `${name} of Elsewhere` : name;
        return {
          id: `fil_${String(index).padStart(2, "0")}`,
          document: shop(name),
          values: { shop: string(accepted) },
        };
      }),
    );
    const confidenceOf = (name: string): number => {
      const row = extractTables(shop(name), configuration, learned)[0]?.rows[0];
      expect(row?.values["shop"]?.kind.value).toBe(name);
      return row?.confidence["shop"] ?? 0;
    };
    expect(confidenceOf("VALTERRA MARKET")).toBeGreaterThan(0.9);
    expect(confidenceOf("ZENOBIA HARDWARE")).toBeLessThan(0.75);
  });

  describe("about documents that are misread", () => {
    const street = (index: number) => `LOT ${100 + index}, JALAN KPB ${index}`;
    const bill = (name: string, address: string) => toDocument([name, address, "43300 SERI KEMBANGAN", "Total: 3.99"]);
    const columns = [
      create(ColumnSchema, { tableId: "ticket", id: "c", slug: "company", name: "Company", type: ColumnType.TEXT }),
      create(ColumnSchema, { tableId: "ticket", id: "a", slug: "address", name: "Address", type: ColumnType.TEXT }),
    ];
    const addressed = { ...configuration, columns };
    const learned = learn(
      Array.from({ length: 24 }, (_, index) => {
        // Half of the bills are of one issuer.
        const [name, address] =
          index % 2 === 0
            ? ["VALTERRA (M) SDN BHD", street(88)]
            : [`${"ABCDEFGHIJKLMNOPQRST"[index % 20] ?? ""}OMARK TRADING`, street(index)];
        const values = { company: string(name), address: string(`${address} 43300 SERI KEMBANGAN`) };
        return toExamples({ id: `fil_${String(index)}`, document: bill(name, address), values }, addressed);
      }),
    );
    const valuesOf = (name: string, address: string) => {
      const row = extractTables(bill(name, address), addressed, learned)[0]?.rows[0];
      return [row?.values["company"]?.kind.value, row?.values["address"]?.kind.value];
    };

    test("recognizes accepted texts although characters were misread", () => {
      expect(valuesOf("VALTERRA (M) SON BHD", "10T I88. JALAN KP8 88")).toEqual([
        "VALTERRA (M) SDN BHD",
        "LOT 188, JALAN KPB 88 43300 SERI KEMBANGAN",
      ]);
      // Another digit may be another house.
      expect(valuesOf("VALTERRA (M) SDN BHD", "LOT 187, JALAN KPB 88")[1]).toContain("187");
    });

    test("does not treat a name as a misreading of a single other one in which a letter looks alike", () => {
      const names = [
        ...Array.from({ length: 6 }, (_, index) => `${"ABCDEF"[index] ?? ""}OMARK TRADING`),
        "ALDER HALL (KI) LTD",
      ];
      const taught = learn(
        names.map((name, index) => {
          const document = bill(name, street(index));
          return toExamples({ id: `fil_${String(index)}`, document, values: { company: string(name) } }, addressed);
        }),
      );
      const companyOf = (name: string) =>
        extractTables(bill(name, street(99)), addressed, taught)[0]?.rows[0]?.values["company"]?.kind.value;
      expect(companyOf("ALDER HALL (KL) LTD")).toBe("ALDER HALL (KL) LTD");
      expect(companyOf("ALDER HA11 (KI) LTD")).toBe("ALDER HALL (KI) LTD");
    });

    test("keeps the form in which a text is printed, if it was accepted in that form too", () => {
      const printed = (name: string, index: number) => ({
        id: `fil_${String(index)}`,
        document: bill(name, street(index)),
        values: { company: string(name) },
      });
      const names = [...Array.from({ length: 6 }, () => "VALTERRA SDN BHD"), "VALTERRA SDN. BHD.", "OMARK TRADING"];
      const both = learn(names.map((name, index) => toExamples(printed(name, index), addressed)));
      const companyOf = (name: string) =>
        extractTables(bill(name, street(99)), addressed, both)[0]?.rows[0]?.values["company"]?.kind.value;
      expect(companyOf("VALTERRA SDN BHD")).toBe("VALTERRA SDN BHD");
      expect(companyOf("VALTERRA SDN. BHD.")).toBe("VALTERRA SDN. BHD.");
      expect(companyOf("VALTERRA SDN  BHD.")).toBe("VALTERRA SDN BHD");
    });
  });

  test("finds a value missing only if some accepted file lacks it", () => {
    const toOption = (value: number, prior: number): Option => ({
      features: new Uint32Array(),
      prior,
      value,
      anchor: value,
    });
    const options = [toOption(1, 1), toOption(2, 0)];
    const chosenAfter = (missing: number) => {
      const accepted = Array.from({ length: 40 }, (_, index) => {
        const isMissing = index < missing;
        return { heads: new Uint32Array(), options, right: [!isMissing, isMissing] } as unknown as Example;
      });
      return chooseByValue({ options }, [0.2, 0.8], remember(accepted)).index;
    };
    expect(chosenAfter(0)).toBe(0);
    expect(chosenAfter(4)).toBe(1);
  });

  test("gives the same state whatever the order of the files", () => {
    expect(learnFrom([...files].reverse())).toEqual(learnFrom(files));
  });

  test("leaves no trace of a file that is left out", () => {
    const marked = { ...labeled(9), values: { shop: string("Marker Zzyzx Ltd") } };
    const without = files.map((file) => ({ ...file, values: { ...file.values, shop: string("SHOP LTD") } }));
    expect(JSON.stringify([...learnFrom([...without, marked]).columns])).toContain("Zzyzx");
    expect(JSON.stringify([...learnFrom(without).columns])).not.toContain("Zzyzx");
    expect(learnFrom([...without, marked].filter(({ id }) => id !== marked.id))).toEqual(learnFrom(without));
  });

  test("is not taught by a column that is absent, but by null", () => {
    const absent = files.map((file) => ({ ...file, values: {} }));
    expect(learnFrom(absent).columns.size).toBe(0);
    const nothing = create(ValueSchema, { kind: { case: "nullValue", value: 0 } });
    const none = Array.from({ length: 8 }, (_, index) => labeled(index, { amount: nothing }));
    expect(valueOf(15, learnFrom(none))).toBe(0);
  });
});

describe("folds", () => {
  test("keep copies and files of an issuer together, whatever their order", () => {
    const files = Array.from({ length: 60 }, (_, index) => ({
      id: `fil_${index}`,
      sha256: `bytes ${index % 40}`,
      issuer: index % 3 === 0 ? null : `issuer ${index % 7}`,
    }));
    const folds = assignFolds(files);
    expect(assignFolds([...files].reverse())).toEqual(new Map([...folds].reverse()));
    for (const one of files)
      for (const other of files)
        if (one.sha256 === other.sha256 || (one.issuer !== null && one.issuer === other.issuer))
          expect(folds.get(one.id)).toBe(folds.get(other.id));
  });
});
