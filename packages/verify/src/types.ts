export interface Options {
  /** The BASE_URL of Gatehouse, or its TOKEN_ISSUER. */
  readonly issuer: string
  /** TOKEN_AUDIENCE of Gatehouse. */
  readonly audience: string
  /** Where Gatehouse is, if not at the issuer. */
  readonly url?: string
  /** Accept tokens of applications too, at routes that name `scopes`. */
  readonly applications?: boolean
  /** The client that asks about tokens at routes with `live`. */
  readonly client?: { readonly id: string; readonly secret: string }
  /** Gets the cause of each 503. */
  readonly onError?: (cause: unknown) => void
}

/** What a route asks of the caller. */
export interface Needs {
  /** One of these roles. */
  readonly roles?: readonly string[]
  /** All of these, of a token that is limited to scopes. */
  readonly scopes?: readonly string[]
  /** Ask Gatehouse whether the token has ended. */
  readonly live?: boolean
}

export interface Claims {
  readonly sub: string
  readonly exp: number
  readonly roles: readonly string[]
  readonly username?: string
  readonly scope?: string
  readonly [claim: string]: unknown
}

export type Json = Readonly<Record<string, unknown>>

export interface JwkSet {
  readonly keys: readonly Record<'alg' | 'e' | 'kid' | 'kty' | 'n' | 'use', string>[]
}

export type RsaAlgorithm = { readonly name: string; readonly modulusLength: number }

export type Authenticate = (
  authorization: string | null | undefined,
  needs: Needs,
) => Promise<Claims>

// As much of a request and of its answer as a guard needs, of each framework.
export type Handler<Rest extends unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>

type Headers = Record<string, string>
export type NodeRequest = { readonly headers: { readonly authorization?: string | undefined } }
export type NodeResponse = {
  writeHead(status: number, all: Headers): { end(body: string): unknown }
}
export type Sending = { headers(all: Headers): { send(body: string): unknown } }
export type FastifyReply = { code(status: number): Sending }
export type HonoContext = { readonly req: { header(name: string): string | undefined } }
