import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

// Loaded before the program: it is gone, as by kill -9, when it is about to take its nth step: a statement,
// or a change of a file of the master key. With DIE_AT_STEP=0 it says at its end how many there were.
const dieAt = Number(process.env.DIE_AT_STEP)
let taken = 0

function step(): void {
  taken += 1
  if (taken === dieAt) process.kill(process.pid, 'SIGKILL')
}

const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (...args) {
  step()
  return prepare.apply(this, args)
}

const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  step()
  return Reflect.apply(query, this, args)
}

for (const name of ['writeFileSync', 'linkSync', 'renameSync', 'fsyncSync'] as const) {
  const own = fs[name] as (...args: unknown[]) => unknown
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      if (String(args[0]).includes('master.key') || name === 'fsyncSync') step()
      return own(...args)
    },
  })
}
syncBuiltinESMExports()

if (dieAt === 0) process.on('exit', () => process.stderr.write(`steps ${taken}\n`))
