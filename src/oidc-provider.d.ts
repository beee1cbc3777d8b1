/** The part of oidc-provider that the provider and the tests use; the package ships no types. */
declare module 'oidc-provider' {
  import type { KeyObject } from 'node:crypto'
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Grant {
    readonly jti: string
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    getOIDCScope(): string
    getResourceScope(resource: string): string
    save(): Promise<string>
  }

  export interface ClientOfLibrary {
    readonly clientId: string
    grantTypeAllowed(type: string): boolean
  }

  export interface Session {
    readonly accountId: string
    readonly amr?: readonly string[]
    grantIdFor(clientId: string): string | undefined
  }

  export interface Context {
    readonly oidc: {
      readonly client: ClientOfLibrary
      readonly session: Session
      readonly provider: Provider
      readonly params: Record<string, string | undefined>
      readonly requestParamScopes: ReadonlySet<string>
      readonly requestParamOIDCScopes: ReadonlySet<string>
      readonly resourceServers: Readonly<Record<string, { readonly scopes: ReadonlySet<string> }>>
      readonly prompts: ReadonlySet<string>
      readonly result?: {
        readonly login?: object
        readonly consent?: { readonly scopes?: readonly string[] }
      }
      readonly entities: {
        readonly Client?: ClientOfLibrary
        readonly Account?: { readonly accountId: string }
        readonly AccessToken?: { readonly scope?: string; readonly accountId?: string }
        readonly ClientCredentials?: { readonly scope?: string }
      }
    }
    cookies: object
    respond: boolean
    body: unknown
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: (new (of: {
      clientId: string
      accountId: string
    }) => Grant) & { find(id: string): Promise<Grant | undefined> }
    readonly DeviceCode: { findByUserCode(code: string): Promise<DeviceCode | undefined> }
    readonly Client: {
      readonly prototype: { compareClientSecret: unknown }
      find(id: string): Promise<ClientOfLibrary | undefined>
    }
    readonly AuthorizationCode: new (
      of: object,
    ) => { save(): Promise<string> }
    readonly request: object
    readonly middleware: readonly unknown[]
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    compose(middleware: readonly unknown[]): (context: Context) => Promise<void>
    createContext(request: unknown, response: ServerResponse): Context
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
    ): Promise<void>
    on(event: string, listener: (...args: unknown[]) => void): this
  }

  export interface DeviceCode {
    readonly clientId: string
    readonly userCode: string
    readonly params: Readonly<Record<string, string | undefined>>
    readonly deviceInfo: { readonly address: string }
    readonly accountId?: string
    readonly error?: string
    readonly scope?: string
    save(): Promise<string>
  }

  export class ExternalSigningKey {
    kid: string
    alg: string
    keyObject(): KeyObject
    sign(data: Uint8Array): Promise<Uint8Array>
  }

  export class Prompt {
    constructor(of: { readonly name: string; readonly requestable: boolean })
    readonly checks: { add(check: Check): void; remove(reason: string): void }
  }

  export class Check {
    constructor(
      reason: string,
      description: string,
      error: string,
      check: (ctx: Context) => boolean | Promise<boolean>,
    )
  }

  export const interactionPolicy: {
    readonly Check: typeof Check
    readonly Prompt: typeof Prompt
    base(): {
      get(name: string): Prompt
      add(prompt: Prompt, index: number): void
    }
  }

  export const errors: Readonly<Record<string, new (message?: string) => Error>>
}
