import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '../../reason.ts'
import { serveThread } from '../../threads/serve-thread.ts'

const maxProblems = 5
const corrupt = 11

serveThread(quickCheck, { isBackground: true })

function quickCheck(path: string): string[] {
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 2000 })
    try {
      const rows = db.prepare(`pragma quick_check(${maxProblems})`).all()
      return rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok')
    } finally {
      db.close()
    }
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
    if (code === corrupt) return [reasonOf(error)]
    throw error
  }
}
