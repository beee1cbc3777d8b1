import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterCommit } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { HookPoints } from '../../core/module/hooks.ts'
import type { Needs } from '../../core/module/services.ts'
import type { MessageName } from './message-types.ts'
import {
  addressKeys,
  type RowOfFile,
  recipientOfFile,
  recipientStore,
} from './recipient-of-file.ts'
import { idOfFile, mailFiles, mailFolder } from './transport.ts'

const toFormerAddress: readonly MessageName[] = ['email_changed', 'deletion_requested_former']

/**
 * Removes a person's development mail after the erasure commits. The outbox row names the owner of
 * a file. Mail without an account, such as a sign-up, counts if no other user has its address.
 */
export function eraseFiles({
  config,
  log,
}: Pick<Needs, 'config' | 'log'>): HookPoints['onErasure'] {
  const folder = mailFolder(config)
  return async (trx, userId) => {
    const files = await mailFiles(folder)
    if (files.length === 0) return
    const left = await filesOf(trx, userId, { folder, files })
    afterCommit(trx, () => {
      for (const file of left) {
        try {
          rmSync(join(folder, file), { force: true })
        } catch (error) {
          log.warn({ err: error, file }, 'a mail of an erased person could not be removed')
        }
      }
    })
  }
}

async function filesOf(
  trx: DatabaseOrTransaction,
  userId: number,
  { folder, files }: { readonly folder: string; readonly files: readonly string[] },
): Promise<string[]> {
  const store = recipientStore(trx)
  const rows = await store.rowsOf(files.map(idOfFile))
  const rowOf = (file: string) => rows.get(idOfFile(file))
  const own = files.filter((file) => isOf(rowOf(file), userId))
  const keys = new Set((await store.addressesOf(userId)).flatMap(addressKeys))
  for (const file of own) {
    if (!toFormerAddress.some((name) => name === rowOf(file)?.message)) continue
    for (const key of (await recipientOfFile(join(folder, file))) ?? []) keys.add(key)
  }
  const others = await store.known([...keys], userId)
  const ofNoAccount = files.filter((file) => (rowOf(file)?.user_id ?? null) === null)
  for (const file of keys.size > 0 ? ofNoAccount : []) {
    const recipient = (await recipientOfFile(join(folder, file))) ?? []
    if (recipient.some((key) => keys.has(key)) && !recipient.some((key) => others.has(key))) {
      own.push(file)
    }
  }
  return own
}

/**
 * Also true for an erased person: a worker may write the file while the erasure cancels the mail,
 * and the last mail is sent after the erasure.
 */
function isOf(row: RowOfFile | undefined, userId: number): boolean {
  if (row === undefined) return false
  if (row.user_id !== null) return row.user_id === userId
  return row.state === 'cancelled' || row.message === 'account_deleted'
}
