// The parts of the packages that the programs beside the service use. The packages themselves are
// installed in this folder alone, by `npm run bench`, so that `npm run check` needs these.

declare module 'better-sqlite3' {
  class Database {
    constructor(path: string)
    pragma(text: string): unknown
  }
  // biome-ignore lint/style/noDefaultExport: the shape of the module
  export default Database
}

declare module 'express-session' {
  import type { IncomingMessage } from 'node:http'
  import type { Handler } from 'express'

  export interface WithSession extends IncomingMessage {
    readonly session: { user?: unknown }
  }

  interface Session {
    (options: object): Handler
    readonly Store: unknown
  }
  const session: Session
  // biome-ignore lint/style/noDefaultExport: the shape of the module
  export default session
}

declare module 'better-sqlite3-session-store' {
  import type Database from 'better-sqlite3'
  import type session from 'express-session'

  // biome-ignore lint/style/noDefaultExport: the shape of the module
  export default function sqliteStore(
    of: typeof session,
  ): new (options: {
    client: Database
  }) => object
}

declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  export interface Request extends IncomingMessage {
    readonly session: { user?: unknown }
    readonly user?: unknown
  }

  export interface Response extends ServerResponse {
    json(body: unknown): void
    status(code: number): Response
  }

  export type Handler = (request: Request, response: Response, next: () => void) => void

  type Application = RequestListener & {
    disable(setting: string): void
    get(path: string, ...handlers: Handler[]): void
    post(path: string, ...handlers: Handler[]): void
  }

  // biome-ignore lint/style/noDefaultExport: the shape of the module
  export default function express(): Application
}

declare module 'jsonwebtoken' {
  const jsonwebtoken: {
    sign(claims: object, secret: string, options: { subject: string; expiresIn: string }): string
  }
  // biome-ignore lint/style/noDefaultExport: the shape of the module
  export default jsonwebtoken
}

declare module 'passport' {
  import type { Handler } from 'express'
  import type { Strategy } from 'passport-jwt'

  const passport: {
    use(strategy: Strategy): void
    authenticate(name: string, options: { session: boolean }): Handler
  }
  // biome-ignore lint/style/noDefaultExport: the shape of the module
  export default passport
}

declare module 'passport-jwt' {
  import type { IncomingMessage } from 'node:http'

  type FromRequest = (request: IncomingMessage) => string | null
  export const ExtractJwt: { fromAuthHeaderAsBearerToken(): FromRequest }
  export class Strategy {
    constructor(
      options: {
        readonly secretOrKey: string
        readonly algorithms: readonly string[]
        readonly jwtFromRequest: FromRequest
      },
      verify: (
        claims: Readonly<Record<string, unknown>>,
        done: (error: null, user: object) => void,
      ) => void,
    )
  }
}

declare module 'better-auth' {
  export interface Auth {
    readonly handler: (request: Request) => Promise<Response>
  }
  export function betterAuth(options: object): Auth
}

declare module 'better-auth/node' {
  import type { RequestListener } from 'node:http'
  import type { Auth } from 'better-auth'

  export function toNodeHandler(auth: Auth): RequestListener
}

declare module 'better-auth/db/migration' {
  export function getMigrations(options: object): Promise<{ runMigrations(): Promise<void> }>
}
