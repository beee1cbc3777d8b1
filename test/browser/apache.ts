import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { placed, unlessRequired } from '../proxies.ts'
import { programOf, startProgram } from '../use-it/listings.ts'

const cached = join(import.meta.dirname, '../../node_modules/.cache/listings/usr/lib')
const libraries = globSync(join(cached, '*-linux-gnu')).join(':')
const env = { LD_LIBRARY_PATH: libraries, no_proxy: '127.0.0.1,localhost' }
const apache = programOf('apache2')
const modules = [cached, '/usr/lib']
  .map((folder) => join(folder, 'apache2/modules'))
  .find((folder) => existsSync(join(folder, 'mod_auth_openidc.so')))

/** Why Apache with mod_auth_openidc cannot run on this machine; false if it can. */
export const missingApache =
  unlessRequired('apache2-bin', ['env', `LD_LIBRARY_PATH=${libraries}`, apache, '-v']) ||
  (modules === undefined && 'not installed: mod_auth_openidc')

/**
 * Starts Apache on a port of 127.0.0.1 with a listing; `places` are what takes the place of
 * its addresses. It serves a page at /protected/ and one at /.
 */
export async function startApache(
  listing: string,
  { places, port }: { readonly places: Readonly<Record<string, string>>; readonly port: number },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755) // its processes are of another user than their parent
  mkdirSync(join(folder, 'pages/protected'), { recursive: true })
  writeFileSync(join(folder, 'pages/protected/index.html'), '<h1>The wiki</h1>')
  writeFileSync(join(folder, 'pages/index.html'), '<h1>Bye</h1>')
  const names = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'auth_openidc']
  const file = join(folder, 'main.conf')
  const lines = [
    ...names.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`),
    ...[`ServerRoot ${folder}`, 'ServerName localhost', `PidFile ${folder}/pid`],
    ...[`ErrorLog ${folder}/log`, 'User nobody', 'Group nogroup', `Mutex file:${folder} default`],
    ...[`Listen 127.0.0.1:${port}`, `DocumentRoot ${folder}/pages`, 'DirectoryIndex index.html'],
  ]
  writeFileSync(file, `${lines.join('\n')}\n${placed(listing, places)}\n`)
  await startProgram([apache, '-f', file, '-D', 'FOREGROUND'], { folder, env, ports: [port] })
}
