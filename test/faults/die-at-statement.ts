import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

// Loaded before the program: it is gone, as by kill -9 or by DIE_BY, when it is about to run its nth
// statement.
let left = Number(process.env.DIE_AT_STATEMENT)

function about(): void {
  left -= 1
  if (left === 0) process.kill(process.pid, process.env.DIE_BY ?? 'SIGKILL')
}

const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (...args) {
  about()
  return prepare.apply(this, args)
}

const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  about()
  return Reflect.apply(query, this, args)
}
