import { type CleanedWhere, createAdapterFactory } from 'better-auth/adapters';
import { hashSecret } from '../domain/api-key.ts';
import type { NewId } from '../lib/uuid.ts';
import type { AuthCondition, AuthRecords, AuthRow } from '../ports/identity-store.ts';

/** The library calls it `token`; we store only its hash. */
export const tokenColumn = 'token_hash';

const operators: Record<string, AuthCondition['operator']> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: 'in',
  not_in: 'not in',
};

/**
 * better-auth on our own records. Timestamps are ISO text and booleans 0 or 1 on both engines, as in every other table.
 * Session tokens are hashed on the way in; whoever looks one up knows it already and gets it back.
 */
export const recordsAdapter = (records: AuthRecords, newId: NewId) =>
  createAdapterFactory({
    config: {
      adapterId: 'steno',
      supportsDates: false,
      supportsBooleans: false,
      supportsJSON: false,
      supportsNumericIds: false,
      transaction: false,
      customIdGenerator: newId,
    },
    // The library's methods are generic over rows whose shape only its own schema knows.
    adapter: ({ getFieldName }) => ({
      async create<T extends AuthRow>({ model, data }: { model: string; data: T }) {
        const row = await records.insert(model, hashToken(data));
        return withToken(row, data[tokenColumn]) as T;
      },
      async findOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
        const [row] = await records.find(model, where.map(toCondition), { limit: 1 });
        return (row ? withToken(row, tokenIn(where)) : null) as T | null;
      },
      async findMany<T>({ model, where = [], limit, offset, sortBy }: FindMany) {
        const sort = sortBy && { ...sortBy, column: getFieldName({ model, field: sortBy.field }) };
        return (await records.find(model, where.map(toCondition), { limit, offset, sort })) as T[];
      },
      async update<T>({ model, where, update }: { model: string; where: CleanedWhere[]; update: T }) {
        const changes = hashToken(update as AuthRow);
        const [row] = await records.update(model, where.map(toCondition), changes);
        return (row ? withToken(row, tokenIn(where)) : null) as T | null;
      },
      async updateMany({ model, where, update }) {
        return (await records.update(model, where.map(toCondition), hashToken(update))).length;
      },
      async delete({ model, where }) {
        await records.remove(model, where.map(toCondition));
      },
      async deleteMany({ model, where }) {
        return (await records.remove(model, where.map(toCondition))).length;
      },
      async consumeOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
        const [row] = await records.remove(model, where.map(toCondition), { first: true });
        return (row ?? null) as T | null;
      },
      count: ({ model, where = [] }) => records.count(model, where.map(toCondition)),
    }),
  });

interface FindMany {
  model: string;
  where?: CleanedWhere[] | undefined;
  limit: number;
  offset?: number | undefined;
  sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined;
}

function toCondition({ field, operator = 'eq', value, connector = 'AND' }: CleanedWhere): AuthCondition {
  const known = operators[operator];
  if (known === undefined) throw new Error(`the sign-in library asked for ${operator}`);
  return {
    column: field,
    operator: known,
    value: field === tokenColumn ? hashValue(value) : value,
    connector,
  };
}

const hashValue = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(hashValue) : typeof value === 'string' ? hashSecret(value) : value;

const hashToken = (row: AuthRow): AuthRow =>
  tokenColumn in row ? { ...row, [tokenColumn]: hashValue(row[tokenColumn]) } : row;

const withToken = (row: AuthRow, token: unknown): AuthRow =>
  token === undefined ? row : { ...row, [tokenColumn]: token };

const tokenIn = (where: CleanedWhere[]): unknown =>
  where.find(({ field, operator }) => field === tokenColumn && operator === 'eq')?.value;
