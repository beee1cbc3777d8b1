import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deployment, examined, missingProxy, production, proxied } from './deployment.ts'

interface Broken {
  /** What the operator has done. */
  readonly what: string
  /** Changes the listing of docs/use-it.md. */
  readonly change: (listing: string) => string
  readonly env?: Readonly<Record<string, string>>
  /** Of doctor, beside where the proxy listens. */
  readonly words?: string
  /** All that is found, without advice. */
  readonly found: readonly string[]
  /** A line of what mends it. */
  readonly mend: RegExp
}

const inLocation = (lines: string) => (text: string) =>
  text.replace('location / {', `location / {\n${lines}`)
const inServer = (lines: string) => (text: string) =>
  text.replace('location / {', `${lines}\nlocation / {`)

const broken: readonly Broken[] = [
  {
    what: 'tells the service nothing of the client',
    change: (text) => text.replace(/ *proxy_set_header X-Forwarded-For.*\n/, ''),
    found: ['error client_address'],
    mend: /proxy_set_header X-Forwarded-For \$remote_addr;/,
  },
  {
    what: 'passes on what the client says of itself',
    change: (text) =>
      text.replace('X-Forwarded-For $remote_addr', 'X-Forwarded-For $http_x_forwarded_for'),
    found: ['error client_address'],
    mend: /proxy_set_header X-Forwarded-For \$remote_addr;/,
  },
  {
    what: 'is not in TRUST_PROXY',
    change: (text) => text,
    env: { TRUST_PROXY: '10.0.0.7' },
    found: ['error client_address'],
    mend: /TRUST_PROXY=10\.0\.0\.7,127\.0\.0\.1/,
  },
  {
    what: 'takes the security headers away, or sets its own',
    change: inLocation(`proxy_hide_header Content-Security-Policy;
      add_header X-Frame-Options SAMEORIGIN always;`),
    found: ['error security_headers', 'warning security_headers'],
    mend: /remove: add_header X-Frame-Options/,
  },
  {
    what: 'takes Strict-Transport-Security away',
    change: inLocation('proxy_hide_header Strict-Transport-Security;'),
    found: ['error hsts'],
    mend: /remove: proxy_hide_header Strict-Transport-Security;/,
  },
  {
    what: 'sets a Strict-Transport-Security of an hour',
    change: inLocation(`proxy_hide_header Strict-Transport-Security;
      add_header Strict-Transport-Security "max-age=3600" always;`),
    found: ['warning hsts'],
    mend: /max-age=31536000/,
  },
  {
    what: 'takes Secure from cookies, where it ends TLS',
    change: inLocation('proxy_cookie_flags ~ nosecure;'),
    found: ['error cookie'],
    mend: /remove: proxy_cookie_flags/,
  },
  {
    what: 'gives cookies a domain, which their names forbid',
    change: (text) =>
      inLocation(
        'proxy_hide_header Set-Cookie; add_header Set-Cookie "__Host-a=b; Path=/; Domain=example.org; Secure; HttpOnly; SameSite=Lax";',
      )(text),
    found: ['error cookie'],
    mend: /proxy_cookie_domain/,
  },
  {
    what: 'compresses pages',
    change: inServer('gzip on; gzip_proxied any; gzip_min_length 1;'),
    found: ['warning compression'],
    mend: /gzip off;/,
  },
  {
    what: 'allows every origin',
    change: inLocation(`add_header Access-Control-Allow-Origin $http_origin always;
      add_header Access-Control-Allow-Credentials true always;`),
    found: ['error cors_foreign'],
    mend: /remove: add_header Access-Control-Allow-Origin/,
  },
  {
    what: 'allows the origin of CORS_ORIGINS a second time',
    change: inLocation('add_header Access-Control-Allow-Origin https://app.example.org always;'),
    env: { CORS_ORIGINS: 'https://app.example.org' },
    found: ['error cors_own', 'error cors_own', 'warning session_cookie'],
    mend: /remove: add_header Access-Control-Allow-/,
  },
  {
    what: 'takes bodies of 100 KB',
    change: inServer('client_max_body_size 100k;'),
    found: ['warning body_limit'],
    mend: /client_max_body_size 1025k;/,
  },
  {
    what: 'passes GET and POST alone on',
    change: inLocation('limit_except GET POST { deny all; }'),
    found: ['error methods', 'error methods', 'error methods'],
    mend: /remove: limit_except/,
  },
  {
    what: 'shows pages of its own in place of refusals',
    change: (text) =>
      inServer('error_page 401 404 = @own;\nlocation @own { return 200 "an error"; }')(
        inLocation('proxy_intercept_errors on;')(text),
      ),
    found: ['error errors_replaced', 'unknown client_address'],
    mend: /proxy_intercept_errors off;/,
  },
  {
    what: 'strips Authorization',
    change: inLocation('proxy_set_header Authorization "";'),
    found: ['error authorization_header'],
    mend: /proxy_set_header Authorization \$http_authorization;/,
  },
  {
    what: 'decodes paths',
    change: (text) =>
      text.replace('proxy_pass http://127.0.0.1:3000;', 'proxy_pass http://127.0.0.1:3000/;'),
    found: ['warning paths'],
    mend: /proxy_pass http:\/\/127\.0\.0\.1:3000; /,
  },
  {
    what: 'keeps answers',
    change: (text) =>
      `proxy_cache_path cache keys_zone=all:1m;\n${inLocation('proxy_cache all; proxy_ignore_headers Cache-Control Set-Cookie; proxy_cache_valid any 1m;')(text)}`,
    found: ['error cached'],
    mend: /proxy_cache off;/,
  },
  {
    what: 'serves the metrics to anyone',
    change: inServer(
      'location = /metrics { default_type text/plain; return 200 "# TYPE gatehouse_up gauge\\ngatehouse_up 1\\n"; }',
    ),
    found: ['error metrics_public'],
    mend: /METRICS_ADDRESS=127\.0\.0\.1:9464/,
  },
  {
    what: 'sends the credential of an administrator with each request',
    change: inLocation(
      `proxy_set_header Authorization "Basic ${btoa('admin:the keeper of all tests')}";`,
    ),
    found: ['error metrics_public', 'error users_open', 'error authorization_header'],
    mend: /remove: proxy_set_header Authorization/,
  },
  {
    what: 'leads elsewhere',
    change: inServer('return 301 https://other.example.org$request_uri;'),
    found: ['error redirected'],
    mend: /./,
  },
  {
    what: 'reaches no service',
    change: (text) =>
      text.replace('proxy_pass http://127.0.0.1:3000;', 'proxy_pass http://127.0.0.1:9;'),
    found: ['error gateway'],
    mend: /proxy_pass http:\/\/127\.0\.0\.1:3000;/,
  },
  {
    what: 'passes /auth/ alone on',
    change: (text) => text.replace('location / {', 'location /auth/ {'),
    found: ['error service'],
    mend: /location \/ \{ proxy_pass/,
  },
  {
    what: 'answers without the public keys',
    change: inServer('location = /.well-known/jwks.json { return 200 \'{"keys":[]}\'; }'),
    env: { TOKEN_ALGORITHM: 'RS256' },
    found: ['error jwks'],
    mend: /./,
  },
  {
    what: 'names itself as the host',
    change: (text) => text.replace('Host $host', 'Host internal'),
    env: { BASE_URL: 'https://other.example.org' },
    words: 'https://auth.example.org',
    found: ['error own_pages', 'warning base_url_seen'],
    mend: /proxy_set_header Host \$host;/,
  },
]

suite('doctor, of a service behind nginx that', { skip: missingProxy('nginx') }, () => {
  for (const { what, change, env = {}, words = '', found, mend } of broken) {
    test(what, async () => {
      const behind = await deployment({ ...production, ...env })
      const seen = await examined(behind, `${words} ${await proxied(behind, 'nginx', { change })}`)
      assert.deepEqual(seen.found, found, JSON.stringify(seen.report.findings, null, 1))
      const lines = seen.report.findings.map((one) => Object.values(one.mend).join('\n'))
      assert.match(lines.join('\n'), mend)
      assert.equal(seen.code, found.some((one) => one.startsWith('error')) ? 1 : 0)
    })
  }
})
