import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { freePort } from '../../../tools/free-port.ts'
import { type Child, known, untilAnswers } from '../processes.ts'
import { call, cookiesOf } from './serve.ts'

// Glewlwyd, a single sign-on server in C, as Debian packages it: its own schema in SQLite, its sample
// configuration, and the account that the schema brings.

const program = '/usr/bin/glewlwyd'
const schema = '/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz'
const sample = '/usr/share/doc/glewlwyd/glewlwyd.conf.sample.gz'
const account = { username: 'admin', password: 'password' }

export interface Glewlwyd extends Child {
  readonly headers: Readonly<Record<string, string>>
}

/** Starts it in a folder, logged in; null where it is not installed. */
export async function startGlewlwyd(folder: string): Promise<Glewlwyd | null> {
  if (![program, schema, sample].every((path) => existsSync(path))) return null
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const file = join(folder, 'glewlwyd.db')
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal')
  database.exec(gunzipSync(readFileSync(schema)).toString())
  database.close()
  const configuration = gunzipSync(readFileSync(sample))
    .toString()
    .replaceAll('/var/cache/glewlwyd/glewlwyd.db', file)
    .replaceAll('http://localhost:4593', url)
    .replace(/^port=.*$/m, `port=${port}\nbind_address="127.0.0.1"`)
    .replace(/^log_level=.*$/m, 'log_level="ERROR"')
    .replace(/^cookie_secure=.*$/m, 'cookie_secure=0')
  const path = join(folder, 'glewlwyd.conf')
  writeFileSync(path, configuration)
  const child = spawn(program, ['--config-file', path], { stdio: 'ignore' })
  const started = known(child)
  await untilAnswers(`${url}/config/`, child)
  const login = await call(`${url}/api/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  return { ...started, url, headers: { cookie: cookiesOf(login) } }
}
