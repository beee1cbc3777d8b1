import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterwards } from './afterwards.ts'
import { type Certificate, certificate } from './self-signed.ts'

/** A certificate of the host that a test's client asks for. */
export function localCertificate(notAfter?: string): Certificate {
  const hosts = ['localhost', '127.0.0.1']
  return certificate({ commonName: 'localhost', hosts, ...(notAfter && { notAfter }) })
}

export interface TlsFolder {
  readonly certFile: string
  readonly keyFile: string
  /** The settings of the service. */
  readonly env: { TLS_CERT_FILE: string; TLS_KEY_FILE: string; BASE_URL: string }
  /** Replaces the files as a program that renews certificates does: whole, one after the other. */
  put(wanted: Partial<Certificate>): void
}

/** A folder with the two files, which goes with the tests of the file. */
export function tlsFolder(first: Certificate = localCertificate()): TlsFolder {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
  afterwards(() => rmSync(folder, { recursive: true }))
  const [certFile, keyFile] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')]
  const put = ({ cert, key }: Partial<Certificate>) => {
    for (const [file, text] of [[certFile, cert] as const, [keyFile, key] as const]) {
      if (text === undefined) continue
      writeFileSync(`${file}.new`, text, { mode: 0o600 })
      renameSync(`${file}.new`, file)
    }
  }
  put(first)
  const env = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, BASE_URL: 'https://localhost' }
  return { certFile, keyFile, env, put }
}
