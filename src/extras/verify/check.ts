import type { RowId } from './rows.ts'

export type Person =
  | 'operator' // the administrator whose credentials are given
  | 'admin'
  | 'editor'
  | 'user'
  | 'other'
  | 'plain'
  | 'locked'
  | 'disabled'
  | 'target'
  | 'guessed'
  | 'colon' // its password has colons and a letter outside of ASCII
  | 'factor'
  | 'leaver'

export type Scheme = 'basic' | 'session' | 'bearer'

/** Texts may have values in braces: `{user.id}`, `{SETTING}`, kept values, functions (values.ts). */
export interface Request {
  readonly method: string
  readonly path: string
  /** Default: nobody. An unsafe request of a session has its CSRF token. */
  readonly by?: `${Scheme} ${Person}`
  readonly headers?: Readonly<Record<string, string>>
  /** One of these is the body. `text` is sent unchanged. */
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly text?: string
}

/** A request that prepares, or a wait of as many seconds as a setting says. */
export type Step =
  | (Request & {
      /** Values for later braces: a path in the body, `cookie NAME` or `header NAME`. */
      readonly keep?: Readonly<Record<string, string>>
    })
  | { readonly wait: SettingName }

export interface Expected {
  /** One, or all that are right. */
  readonly status: number | readonly number[]
  /** By lower-case name; null: absent. */
  readonly headers?: Readonly<Record<string, unknown>>
  /** Flags that the cookie of the session must have; null: no such cookie. */
  readonly cookie?: readonly string[] | null
  /** The exact body, or shapes (shapes.ts). Absent: not examined. Empty text: no body. */
  readonly body?: unknown
}

export interface Check {
  /** Never changes: users compare reports by it. */
  readonly id: string
  readonly rows: RowId | readonly RowId[]
  readonly before?: readonly Step[]
  readonly request: Request
  readonly expect: Expected
  readonly after?: readonly Step[]
  /** Runs only if the settings of the service have these values; true: any value. */
  readonly when?: Partial<Record<SettingName, string | true>>
  /** A wrong login, which counts: runs after all others. */
  readonly isWrongLogin?: true
  /** The service refuses what follows: runs only if `--only` names it. */
  readonly isAlone?: true
  /** Too costly for production. */
  readonly isHeavy?: true
}

/** A row that no caller can check. */
export interface NotCheckable {
  readonly id: string
  readonly rows: RowId | readonly RowId[]
  readonly reason: string
}

/** Settings of the service on which rows depend, with the value that the contract gives. */
export const contractSettings = {
  SESSION_COOKIE_NAME: 'JSESSIONID',
  SESSION_IDLE_SECONDS: '1800',
  LOGIN_TOKEN_SECONDS: '3600',
  ACCESS_TOKEN_SECONDS: '900',
  REFRESH_TOKEN_SECONDS: '604800',
  LOGIN_FORM_MODE: 'session',
  LOGIN_JSON_MODE: 'token',
  LOGIN_ATTEMPTS: '5',
  LOGIN_WINDOW_SECONDS: '900',
  LOGIN_IP_ATTEMPTS: '20',
  LOGIN_LOCK_AFTER: '10',
  LOGIN_LOCK_SECONDS: '1800',
  LOGIN_PROOF_OF_WORK_AFTER: '0',
  RATE_LIMIT_MAX: '0',
  USERS_POLICY: 'roles',
  POSTS_DELETE_POLICY: 'admin',
  CORS_ORIGINS: '',
  OIDC_CLIENT_ID: '',
  PROVIDER: 'off',
} as const

export type SettingName = keyof typeof contractSettings
export type Settings = Readonly<Record<SettingName, string>>

export function rowsOf({ rows }: Pick<Check, 'rows'>): readonly RowId[] {
  return typeof rows === 'string' ? [rows] : rows
}

/** Whether a check changes nothing, and sends no credential but the operator's. */
export function isReadOnly(check: Check): boolean {
  const { before, after, request, isWrongLogin, isHeavy } = check
  const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
  const isOwn = request.by === undefined || request.by === 'basic operator'
  const hasValues = /\{\w/.test(JSON.stringify([request, check.expect]))
  return isSafe && isOwn && !hasValues && !before && !after && !isWrongLogin && !isHeavy
}

/** For reports and documents; values stay in braces. */
export function requestText({ by, form, headers, json, method, path, text }: Request): string {
  const [scheme, person] = by?.split(' ') ?? []
  const body =
    json !== undefined
      ? ` ${JSON.stringify(json)}`
      : form !== undefined
        ? ` ${Object.entries(form)
            .map(([name, value]) => `${name}=${value}`)
            .join('&')}`
        : text !== undefined
          ? ` ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}`
          : ''
  const names = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return (
    [
      `${method} ${path}`,
      ...(by === undefined ? [] : [`by ${person} (${scheme})`]),
      ...(names.length > 0 ? [`with ${names.join(', ')}`] : []),
    ].join(' ') + body
  )
}
