import { z } from 'zod';

/** A resource as a row of its table. Booleans are 0 or 1 (SQLite has no booleans), lists are JSON text. */
export type Row<Resource> = { [Field in keyof Resource]: Stored<Resource[Field]> };
type Stored<Value> = Value extends boolean ? number : Value extends readonly unknown[] ? string : Value;

/** A row whose fields of the resource have been converted back. Other columns are unchanged. */
type Restored<Given, Resource> = {
  [Column in keyof Given]: Column extends keyof Resource ? Resource[Column] : Given[Column];
};

/** The columns of a resource, and the conversion between a resource and its row. */
export function rowsOf<Shape extends z.ZodRawShape>(resource: z.ZodObject<Shape>) {
  type Resource = z.infer<z.ZodObject<Shape>>;
  const fields = Object.entries<z.core.$ZodType>(resource.shape);
  const namesOf = (kind: typeof z.ZodBoolean | typeof z.ZodArray | typeof z.ZodNumber) =>
    fields.flatMap(([name, field]) => (bare(field) instanceof kind ? [name] : []));
  const booleans = namesOf(z.ZodBoolean);
  const lists = namesOf(z.ZodArray);
  const numbers = [...booleans, ...namesOf(z.ZodNumber)];

  return {
    // The keys of the shape, which TypeScript does not know to be names of the resource.
    columns: fields.map(([name]) => name) as (keyof Resource & string)[],

    /** The type of a column in PostgreSQL. */
    typeOf: (column: string) => (numbers.includes(column) ? 'integer' : 'text'),

    /** Converts a resource or some of its fields. Other columns are unchanged. */
    toRow<Given extends object>(given: Given): { [Column in keyof Given]: Stored<Given[Column]> } {
      const row = { ...given } as Record<string, unknown>;
      for (const name of booleans) if (name in row) row[name] = Number(row[name]);
      for (const name of lists) if (Array.isArray(row[name])) row[name] = JSON.stringify(row[name]);
      return row as { [Column in keyof Given]: Stored<Given[Column]> };
    },

    /** Changes the row in place, because the database driver made it for this call. */
    fromRow<Given extends object>(given: Given): Restored<Given, Resource> {
      const row = given as Record<string, unknown>;
      for (const name of booleans) if (name in row) row[name] = row[name] === 1;
      for (const name of lists) if (typeof row[name] === 'string') row[name] = JSON.parse(row[name]);
      return row as Restored<Given, Resource>;
    },
  };
}

const bare = (field: z.core.$ZodType): z.core.$ZodType =>
  field instanceof z.ZodNullable || field instanceof z.ZodOptional ? bare(field.unwrap()) : field;
