import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEmail } from '../../addresses/email.ts'
import { caseFold } from '../../kernel/text.ts'
import { readMail } from '../../mail/mail-text.ts'
import { mailFiles as filesIn, mailFolder } from '../../mail/transport.ts'
import type { Check } from '../check.ts'
import type { Inside } from '../scene.ts'
import { doctorStore } from '../store.ts'

/** Above what a service without a mail server keeps. */
const maxFiles = 1000

export const mailFiles: Check<Inside> = {
  id: 'mail_files',
  level: 'warning',
  good: 'DATA_DIR/mail has no mail to persons who are gone',
  why: 'A service without SMTP_URL writes its mail there, with address, name and network address, and the erasure of a person does not reach the files.',
  mend: { do: 'Delete the files, also in your copies of the folder.' },
  async find({ config, db }) {
    const folder = mailFolder(config)
    const files = (await filesIn(folder)).slice(0, maxFiles)
    const addresses = await Promise.all(files.map((file) => addressOf(join(folder, file))))
    const keys = new Set(addresses.flatMap((address) => address ?? []).flatMap(keysOf))
    const known = await doctorStore(db).knownAddresses([...keys])
    const left = addresses.filter(
      (address) => address !== null && !keysOf(address).some((key) => known.has(key)),
    )
    if (left.length === 0) return []
    const count = left.length === 1 ? '1 file' : `${left.length} files`
    const what = `${folder} has ${count} of mail to addresses that no user has: of persons who were erased, of earlier addresses, or of sign-ups that were not finished.`
    return [{ what, mend: { setting: `rm ${folder}/*.eml` } }]
  },
}

/** Null for what is no mail of this service. */
async function addressOf(path: string): Promise<string | null> {
  const content = await readFile(path, 'utf8').catch(() => '') // removed meanwhile
  const [, to] = readMail(content).headers.find(([name]) => name.toLowerCase() === 'to') ?? []
  if (to === undefined) return null
  return /<([^<>]+)>\s*$/.exec(to)?.[1] ?? to
}

/** As users and accounts have it. */
function keysOf(address: string): string[] {
  const parsed = parseEmail(address)
  return [caseFold(address), ...(parsed ? [parsed.key] : [])]
}
