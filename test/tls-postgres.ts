import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../tools/free-port.ts'
import { makeCluster, runCluster } from './postgres.ts'
import { certificate } from './self-signed.ts'

export interface TlsPostgres {
  readonly port: number
  /** The files of certificates and keys by name. */
  readonly files: Readonly<Record<string, string>>
  /** Changes the certificate of the server: `server`, `other` or `expired`. */
  show(name: string): Promise<void>
  query<T extends object>(text: string): Promise<T[]>
  stop(): Promise<void>
}

/** The role `worded` authenticates by password, `certified` by certificate; both only over TLS. */
const access = `local all gatehouse trust
hostssl all worded 127.0.0.1/32 scram-sha-256
hostssl all certified 127.0.0.1/32 cert
`

export const password = 'a word that no log may hold'

/**
 * Starts a PostgreSQL with TLS on 127.0.0.1, with a certificate for `localhost` and the address.
 */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
  const authority = { commonName: 'an authority', isAuthority: true }
  const ours = certificate(authority)
  const foreign = certificate(authority)
  const issuer = { commonName: authority.commonName, key: ours.key }
  const hosts = ['localhost', '127.0.0.1']
  const made = {
    server: certificate({ commonName: 'database', hosts, issuer }),
    other: certificate({ commonName: 'database', hosts: ['db.example.org', '10.0.0.1'], issuer }),
    expired: certificate({ commonName: 'database', hosts, issuer, notAfter: '250201' }),
    client: certificate({ commonName: 'certified', issuer }),
    stranger: certificate({
      commonName: 'certified',
      issuer: { commonName: authority.commonName, key: foreign.key },
    }),
  }
  const files: Record<string, string> = {}
  const write = (name: string, text: string) => {
    files[name] = join(folder, name)
    writeFileSync(files[name], text, { mode: 0o600 })
  }
  write('authority', ours.cert)
  write('foreign', foreign.cert)
  for (const [name, { key, cert }] of Object.entries(made)) {
    write(name, cert)
    write(`${name}.key`, key)
  }

  const cluster = makeCluster()
  const place = (name: string, text: string) => {
    const path = join(cluster.data, name)
    writeFileSync(path, text, { mode: 0o600 })
    const { uid, gid } = cluster.identity
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
  }
  const placeShown = (name: string) => {
    const shown = made[name as keyof typeof made] // one of the names of `made`
    place('shown.crt', shown.cert)
    place('shown.key', shown.key)
  }
  place('pg_hba.conf', access)
  place('authority.crt', ours.cert)
  placeShown('server')
  const port = await freePort()
  const child = await runCluster(cluster, {
    script: '"$@" & server=$!; read _; kill -QUIT $server; wait $server; rm -rf "$0"',
    settings: {
      fsync: 'off',
      listen_addresses: '127.0.0.1',
      port: String(port),
      ssl: 'on',
      ssl_cert_file: 'shown.crt',
      ssl_key_file: 'shown.key',
      ssl_ca_file: 'authority.crt',
    },
  })
  const owner = new pg.Client({
    host: cluster.folder,
    port,
    user: 'gatehouse',
    database: 'postgres',
  })
  await owner.connect()
  const query = async <T extends object>(text: string) => (await owner.query<T>(text)).rows
  await query(`create role worded login password '${password}'`)
  await query('create role certified login')
  for (const name of ['worded', 'certified']) await query(`create database ${name} owner ${name}`)
  return {
    port,
    files,
    query,
    async show(name) {
      placeShown(name)
      await query('select pg_reload_conf()')
    },
    async stop() {
      await owner.end()
      child.stdin?.destroy()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
