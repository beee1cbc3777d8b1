import { join } from 'node:path'
import { byItself, folder, ofVersion1, passphrase } from '../../../test/copies.ts'
import { databaseSettings, testDatabase } from '../../../test/database.ts'
import type { CommandExamples, Examples } from '../../../test/example.ts'
import { connect } from '../../core/database/connect.ts'
import { migrate } from '../../core/database/migrate.ts'

export const examples: Examples = {
  listBackups: {},
  makeBackup: { events: ['backup_requested'] },
}

export const settings = byItself

const stdin = `${passphrase}\n`

export const commands: CommandExamples = {
  backup: {
    events: ['backup_made'],
    run: ({ run }) => run(`backup ${join(folder(), 'copy')}`, { stdin }),
  },
  'backup list': {},
  'backup verify': { run: ({ run }) => run(`backup verify ${ofVersion1.path}`, { stdin }) },
  restore: {
    events: ['backup_restored'],
    run: async ({ run, output }) => {
      const [directory, file] = [folder(), join(folder(), 'copy')]
      await output(`backup ${file}`, { stdin })
      const env = await databaseSettings(directory, { isEmpty: true })
      return run(`restore ${file}`, { stdin, env }, directory)
    },
  },
  move: {
    events: testDatabase === 'postgres' ? ['database_moved'] : [],
    run: async ({ app, run }) => {
      if (testDatabase === 'sqlite') return [] // PostgreSQL only
      const directory = folder()
      const { db } = connect({ dataDirectory: directory, timeoutMs: 2000, synchronous: 'off' })
      await migrate(db, app.clock)
      await db.destroy()
      const { DATABASE_URL: url = '' } = await databaseSettings(folder(), { isEmpty: true })
      const env = { DATA_DIR: directory, DATABASE_URL: '', MASTER_KEY: '' }
      return run(`move --to ${url}`, { env }, directory)
    },
  },
}
