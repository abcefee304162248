/**
 * Every error code of the API with its HTTP status. The contract allows no others; 412, 415 and 416 are only for routes that it
 * does not speak of, whose own standards demand them (decision 219).
 */
export const errorStatus = {
  validation_error: 400,
  limit_reached: 400,
  invalid_api_key: 401,
  invalid_code: 401,
  forbidden: 403,
  plan_required: 403,
  not_found: 404,
  no_transcript: 404,
  method_not_allowed: 405,
  conflict: 409,
  concurrency_limit: 409,
  note_version_conflict: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limited: 429,
  too_many_attempts: 429,
  quota_exceeded: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;
// The type of Object.keys is string[].
export const errorCodes = Object.keys(errorStatus) as ErrorCode[];

/** The only error that callers see: a public message that says what to do, and a private cause for the log. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;
  /** What the answer has beside the error. The response schema of the route filters it. */
  readonly data: object | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; data?: object } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.data = options.data;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** Our messages begin with the name of the field: "language must be …", "words[3] is required …". */
export const fieldIn = ({ code, message }: Pick<AppError, 'code' | 'message'>): string | undefined =>
  code === 'validation_error'
    ? /^([a-z_][\w.[\]-]{0,99})(?: must | is | has | or )/.exec(message)?.[1]
    : undefined;

type Options = ConstructorParameters<typeof AppError>[2];
const errorOf = (code: ErrorCode) => (message: string, options?: Options) =>
  new AppError(code, message, options);
export const invalid = errorOf('validation_error');
export const limitReached = errorOf('limit_reached');
export const forbidden = errorOf('forbidden');
export const conflict = errorOf('conflict');
export const serviceUnavailable = errorOf('service_unavailable');

/** A resource that does not exist and one that belongs to someone else look the same. */
export const notFound = (resource: string) => new AppError('not_found', `${resource} not found`);
