import { AppError, notFound } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Context } from './context.ts';

declare const checked: unique symbol;

/**
 * A record that the caller may act on. Queries that change a record, or return its text, take nothing else, so that no
 * operation can forget to ask. Only `authorize` makes one, inside the transaction that it is used in: what was allowed when
 * a job began may be forbidden when it ends.
 */
export type Authorized<Row> = Row & { readonly [checked]: true };

/** All that a right depends on: who asks, and what is stored at this moment. */
export type Reach<Who = Principal> = Pick<Context<Who>, 'db' | 'who'>;

/**
 * The policy of a feature: finds a record within the reach of the caller, or raises `not_found` with the name of the resource.
 * `Named` is what names the record: its id, or more than that.
 */
export const authorize =
  <Row extends object, Given = Reach, Named = string>(
    resource: string | (() => Error),
    find: (context: Given, named: Named) => Promise<Row | undefined>,
  ) =>
  async (context: Given, named: Named): Promise<Authorized<Row>> => {
    const row = await find(context, named);
    if (!row) throw typeof resource === 'string' ? notFound(resource) : resource();
    // The one place that makes the brand.
    return row as Authorized<Row>;
  };

/** Undefined instead of `not_found`. */
export const orNothing = <Result>(found: Promise<Result>): Promise<Result | undefined> =>
  found.catch((cause: unknown) => {
    if (!(cause instanceof AppError) || cause.code !== 'not_found') throw cause;
    return undefined;
  });
