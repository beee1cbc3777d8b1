import { createServer } from 'node:http'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import sqliteStore from 'better-sqlite3-session-store'
import express from 'express'
import session from 'express-session'
import jsonwebtoken from 'jsonwebtoken'
import passport from 'passport'
import { ExtractJwt, Strategy } from 'passport-jwt'
import { call, cookiesOf, serve } from './serve.ts'

// Express in production mode, each route with only the middleware that it needs: /token with
// passport-jwt, /session with express-session and its sessions in SQLite (write-ahead log, as
// better-sqlite3 recommends; without `touch` the store would not know that a session is used).
// The token is verified and its user taken from the claims: no revocation, no database.

const secret = 'a secret of the benchmark, with forty-eight bytes'
const user = { id: '1', username: 'admin', roles: ['ADMIN', 'EDITOR', 'USER'] }

serve<{ folder: string }>(async ({ folder }) => {
  const database = new Database(join(folder, 'sessions.db'))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  const SqliteStore = sqliteStore(session)
  const sessions = session({
    store: new SqliteStore({ client: database }),
    secret,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'strict', maxAge: 1_800_000 },
  })
  passport.use(
    new Strategy(
      {
        secretOrKey: secret,
        algorithms: ['HS256'],
        jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      },
      ({ sub, username, roles }, done) => done(null, { id: sub, username, roles }),
    ),
  )

  const app = express()
  app.disable('x-powered-by')
  app.get('/token', passport.authenticate('jwt', { session: false }), (request, response) => {
    response.json(request.user)
  })
  app.post('/login', sessions, (request, response) => {
    request.session.user = user
    response.json({})
  })
  app.get('/session', sessions, (request, response) => {
    if (request.session.user === undefined) response.status(401).json({})
    else response.json(request.session.user)
  })
  return {
    server: createServer(app),
    async started(url) {
      const { id, ...claims } = user
      const token = jsonwebtoken.sign(claims, secret, { subject: id, expiresIn: '1h' })
      const login = await call(`${url}/login`, { method: 'POST' })
      return {
        headers: {
          token: { authorization: `Bearer ${token}` },
          session: { cookie: cookiesOf(login) },
        },
      }
    },
  }
})
