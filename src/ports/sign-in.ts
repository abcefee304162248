/** The library that signs people in and out, and speaks its own wire format under `/api/auth`. */
export interface SignIn {
  /** `secure`: the caller reached us over TLS, so cookies must never travel without it. */
  handle(request: Request, options: { secure: boolean; clientAddress: string }): Promise<Response>;
}
