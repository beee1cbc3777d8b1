import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../tools/free-port.ts'
import { writeNginx } from '../tools/nginx.ts'
import { afterwards } from './afterwards.ts'
import { type Certificate, certificate } from './self-signed.ts'
import { missing, programOf, startProgram } from './use-it/listings.ts'

/** A proxy that a document shows how to set up. */
export interface ProxyProgram {
  readonly name: 'nginx' | 'Caddy'
  /** Why it cannot run on this machine; false if it can. */
  readonly missing: string | false
  /**
   * Starts it with the listings of a document; resolves to its port on 127.0.0.1 when it listens.
   * `places` are the addresses in the listings and what takes their place; `hosts` are those of its
   * certificate, `more` is appended to what it serves.
   */
  start(listings: ReadonlyMap<string, string>, start: ProxyStart): Promise<number>
}

export interface ProxyStart {
  readonly hosts: readonly string[]
  readonly places: Readonly<Record<string, string>>
  /** One for all hosts; a self-signed one unless given. */
  readonly certificate?: Certificate
}

const nginx = programOf('nginx')
const caddy = programOf('caddy')

/** The proxies of the documents, Debian's where .ci/run has unpacked them. */
export const proxyPrograms: readonly ProxyProgram[] = [
  { name: 'nginx', missing: unlessRequired('nginx', [nginx, '-v']), start: startNginx },
  { name: 'Caddy', missing: unlessRequired('caddy', [caddy, 'version']), start: startCaddy },
]

/** Why a program cannot run. .ci/run names those that it could get: their tests fail instead. */
export function unlessRequired(name: string, command: readonly string[]): string | false {
  const isRequired = (process.env.REQUIRED_PROXIES ?? '').split(' ').includes(name)
  return isRequired ? false : missing(command, name)
}

/** Starts nginx with `nginx.conf` of the listings; other listings are files that it includes. */
async function startNginx(
  listings: ReadonlyMap<string, string>,
  { hosts, places, certificate: given }: ProxyStart,
): Promise<number> {
  const folder = folderWithCertificate(hosts, given)
  const port = await freePort()
  const all = {
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '/etc/ssl/': `${folder}/ssl/`,
    ...places,
  }
  const file = writeNginx(folder, listings, (text) => placed(text, all))
  const command = [nginx, '-p', folder, '-c', file]
  await startProgram(command, { folder, env: {}, ports: [port] })
  return port
}

async function startCaddy(
  listings: ReadonlyMap<string, string>,
  { hosts, places, certificate: given }: ProxyStart,
): Promise<number> {
  const folder = folderWithCertificate(hosts, given)
  const port = await freePort()
  const file = join(folder, 'Caddyfile')
  const tls = `tls ${folder}/ssl/${hosts[0]}.pem ${folder}/ssl/${hosts[0]}.key`
  const sites = placed(listings.get('Caddyfile') ?? '', places).replace(
    /^([a-z.-]+) \{$/gm,
    `$1:${port} {\n\t${tls}`,
  )
  // A certificate of its own, it makes only after it listens: handshakes fail until then.
  const global = 'admin off\n\tauto_https disable_redirects\n\tskip_install_trust'
  writeFileSync(file, `{\n\t${global}\n}\n${sites}`)
  const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const command = [caddy, 'run', '--adapter', 'caddyfile', '--config', file]
  await startProgram(command, { folder, env, ports: [port] })
  return port
}

/** A folder with `ssl/<host>.pem` and `.key` for each host, one certificate for all. */
function folderWithCertificate(
  hosts: readonly string[],
  given = certificate({ commonName: hosts[0] ?? '', hosts }),
): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'ssl'))
  const { cert, key } = given
  for (const host of hosts) {
    writeFileSync(join(folder, 'ssl', `${host}.pem`), cert)
    writeFileSync(join(folder, 'ssl', `${host}.key`), key)
  }
  return folder
}

/** A text with what takes the place of its addresses. */
export function placed(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce(
    (whole, [written, place]) => whole.replaceAll(written, place),
    text,
  )
}
