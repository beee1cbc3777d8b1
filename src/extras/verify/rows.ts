/**
 * The rows of the contract by section, in its order. Each row has checks, or a reason why a caller
 * cannot check it (not-checkable.ts).
 */
export const rows = {
  '1': {
    authenticates: 'Callers authenticate by Basic credentials, a session cookie or a bearer token',
    tokens: 'Bearer tokens are issued and refreshed; logout ends a session',
    authorizes: 'Callers are authorized by role, route group and ownership',
    users: 'Users are listed, read, created, updated, deleted and listed by page',
    csrf: 'State-changing session operations need the token of the session',
    external: 'Tokens of an external provider are validated; the service is a client of one',
  },
  '2.1': {
    id: 'id: number, assigned by the service, unique, in every user object',
    name: 'name: string, required on create, length 1..100',
    email: 'email: string, required on create, valid e-mail format',
  },
  '2.2': {
    username: 'username: unique login name',
    password: 'password: stored only as a salted one-way hash',
    roles: 'roles: array of string; the prefix ROLE_ is added automatically for role checks',
    locked: 'locked: when true, authentication fails',
    active: 'active: when false, authentication fails',
    second_factor: 'second-factor secret: optional, for TOTP',
  },
  '2.3': {
    user_id: 'user_id: string, set at login',
    username: 'username: set at login',
    roles: 'roles: set at login',
    csrf_token: 'csrf_token: 32 random bytes, URL-safe Base64 without padding',
    cookie: 'the session id is in the cookie JSESSIONID',
  },
  '2.4': {
    header: 'header: alg HS256 or RS256, typ JWT',
    iss: 'iss: string, the issuer',
    sub: 'sub: string, the user identifier',
    aud: 'aud: string, the intended recipient',
    exp: 'exp: expiry, seconds since the epoch',
    nbf: 'nbf: not valid before',
    iat: 'iat: issued at',
    jti: 'jti: unique token id',
    username: 'username: string',
    roles: 'roles: array of string',
    type: 'type: access or refresh',
    person: 'name, email: in tokens of an external provider',
  },
  '2.5': {
    access_token: 'access_token: type claim access',
    refresh_token: 'refresh_token: type claim refresh, carries only iss, sub, type, iat, exp',
  },
  '2.6': {
    page: 'page: integer',
    limit: 'limit: integer',
    total: 'total: integer, the count of all users',
    data: 'data: array of User',
  },
  '2.7': { post: 'A post has an author identifier and a locked flag' },
  '3.1': {
    login: 'valid login: session, cookie, user_id, username and roles',
    refused: 'invalid login: no session, 401',
    idle: '30 minutes without activity: expired, then 401',
    logout: 'logout of a session: ended, 200',
    none: 'logout without a session: 200, the same body',
  },
  '3.2': {
    expired: 'now >= exp: rejected with 401',
    early: 'before nbf: rejected',
    revoked: 'revoked token: rejected',
  },
  '3.3': {
    allowed: 'fewer than 5 attempts in 15 minutes: allowed',
    blocked: '5 attempts used: 429',
    reset: 'successful login: counter reset',
  },
  '3.4': { states: 'account locked or active, post locked or unlocked' },
  '4.1': {
    session: 'POST /login, session variant: 200 with message and the cookie, 401 with error',
    token: 'POST /login, token variant: 200 with token and expires_in 3600, 401 with error',
    json: 'POST /login, JSON: 200 with token, 401 with error, 429 when the throttle blocks',
    logout: 'POST /logout: 200 with message',
    refresh: 'POST /refresh: 200 with access_token and expires_in 900, 401 with error',
    protected: 'GET /api/protected: 200 with a greeting, 401 without a session',
    transfer: 'POST /api/transfer: 200; 401 without a body; 403 without the CSRF token',
    me: 'GET /api/me: 200 with sub, email, name, roles; 401',
    lifetimes: 'token 3600 s, access token 900 s, refresh token 604800 s',
    reread: 'refresh reads username and roles again and issues a new access token only',
  },
  '4.2': {
    list: 'GET /users: 200, array of User',
    page: 'GET /users with page or limit: the envelope with the slice',
    get: 'GET /users/{id}: 200 User, 404',
    create: 'POST /users: 201 the created User, 400',
    update: 'PUT /users/{id}: 200 the merged User, 404, 400',
    delete: 'DELETE /users/{id}: 200 the deleted User, 404',
    defaults: 'a missing, non-numeric or zero page or limit is the default',
    missing: 'POST without name or email: 400; a violation: 400 with details',
    json: 'a body that is not valid JSON: 400',
    routes: 'an unknown route: 404',
  },
  '4.3': {
    public: '/api/public/**: no authentication',
    admin: '/api/admin/**: role ADMIN',
    editor: '/api/editor/**: role EDITOR or ADMIN',
    user: '/api/user/**: role USER',
    other: 'every other path: authenticated caller',
    posts_read: 'GET /api/posts: USER, EDITOR or ADMIN',
    posts_create: 'POST /api/posts: EDITOR or ADMIN',
    posts_update: 'PUT /api/posts/{id}: the author, or ADMIN if the post is not locked',
    posts_delete: 'DELETE /api/posts/{id}: ADMIN',
    denied: 'a denied authorization: 403',
    user_rules: 'delete a user: ADMIN; read: USER or ADMIN; update: own username or ADMIN',
  },
  '4.4': {
    authorize: 'authorization request: client_id, redirect_uri, response_type, scope, state, PKCE',
    token: 'token request and response',
    discovery: 'discovery: issuer and the four addresses',
    userinfo: 'userinfo: sub, email, name, picture',
  },
  '4.5': {
    origins: 'a list of allowed origins',
    methods: 'allowed methods GET, POST, PUT, DELETE',
    headers: 'allowed request headers Content-Type, Authorization',
    credentials: 'credentials allowed',
  },
  '5.1': {
    header: 'base64(username:password), split on the first colon, UTF-8',
    missing: 'no header, another scheme, or no colon: 401 with a challenge of realm API',
    wrong: 'wrong credentials: the same 401',
    https: 'only over HTTPS',
  },
  '5.2': {
    cookie: 'cookie flags HttpOnly, Secure, SameSite=Strict; 30 minutes',
    csrf: 'state-changing session operations need X-CSRF-Token',
  },
  '5.3': {
    header: 'Authorization: Bearer',
    validation: 'signature, exp, nbf, iss; never the algorithm none',
    refused: 'no header, another scheme, a failed validation: 401',
    refresh: 'a refresh token is accepted only at /refresh',
    secrets: 'secrets come from the configuration and are rotated; no sensitive data in tokens',
  },
  '5.4': { provider: 'tokens and flows of an external identity provider' },
  '5.5': {
    factor: 'with a second factor the login requires its code, within 30 s',
    uri: 'the provisioning URI',
  },
  '5.6': {
    length: 'at least 12 characters',
    hash: 'BCrypt, Argon2id or PBKDF2 with a unique salt',
    breached: 'passwords of breached lists are refused',
    rotation: 'no forced rotation',
  },
  '5.7': {
    csp: "Content-Security-Policy: default-src 'self'; script-src 'self'",
    frame: 'X-Frame-Options: DENY',
    xss: 'X-XSS-Protection: 1; mode=block',
    sniff: 'X-Content-Type-Options: nosniff',
    hsts: 'Strict-Transport-Security: max-age 31536000, includeSubDomains',
  },
  '7': {
    shape: 'every error is JSON with a string field error',
    json: '400 Invalid request body',
    required: '400 Name and email required',
    validation: '400 Validation failed, with details of path and message',
    authentication: '401 Authentication required',
    credentials: '401 Invalid credentials',
    filter: '401 Invalid or expired token',
    no_token: '401 No token provided',
    middleware: '401 Invalid token',
    refresh: '401 Invalid refresh token',
    csrf: '403 CSRF token invalid',
    denied: '403 without the role or ownership',
    user: '404 User not found',
    route: '404 Route not found',
    throttle: '429 Too many login attempts',
    failure: '500 Internal server error; message only in development',
  },
  '8': {
    idle: 'session inactivity 30 minutes',
    token: 'single access token 3600 s',
    access: 'access token of a pair 900 s',
    refresh: 'refresh token 604800 s',
    attempts: '5 login attempts in 15 minutes, by username and client address',
    recommended: '20 in an hour by address; CAPTCHA after 3; account lock after 10',
    rate: 'general request rate, configurable',
    pages: 'page 1, limit 10',
    name: 'user name 1..100 characters',
    csrf: 'CSRF token of 32 random bytes',
    pkce: 'PKCE verifier of 43..128 characters',
    totp: 'TOTP window of 30 s',
    password: 'password of at least 12 characters',
  },
  '9': { versions: 'the users routes at /api/v1 and /api/v2, side by side' },
} as const

/** What docs and decisions of the product add, by subject; only `--profile decisions` checks it. */
const decisionRows = {
  login: 'modes, message and CSRF token of a login, refused values',
  session: 'the session can be read; a login ends the session before; the path of the cookie',
  schemes: 'a header beats the cookie; challenges; which scheme a route accepts',
  groups: 'a group asks for its role before 404; an unknown path is 404 for everybody',
  tokens: 'further claims, revocation, the key set',
  users: 'three prefixes, counts, large pages, v2, order of checks',
  posts: 'fields, defaults, locks and errors of posts',
  account: 'the own account and its password',
  accounts: 'accounts of administrators: exact answers and conflicts',
  errors: 'further errors of bodies',
  headers: 'no-store and no-referrer',
  health: 'status, liveness, readiness',
} as const

type Rows = typeof rows
export type RowId =
  | { [S in keyof Rows]: `${S} ${Extract<keyof Rows[S], string>}` }[keyof Rows]
  | `decisions ${keyof typeof decisionRows}`

/** All rows with their texts, in order. */
export const rowTexts: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...rows, decisions: decisionRows })
    .sort(([left], [right]) => placeOf(left) - placeOf(right))
    .flatMap(([section, texts]) =>
      Object.entries(texts).map(([name, text]) => [`${section} ${name}`, text] as const),
    ),
)

/** An object lists keys that are whole numbers first. */
function placeOf(section: string): number {
  return section === 'decisions' ? Number.POSITIVE_INFINITY : Number(section)
}
