import { subscribe } from 'node:diagnostics_channel'
import fs from 'node:fs'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import pg from 'pg'

// Loaded before the program: after a request with the header `x-die-at: n`, it is gone, as by kill -9,
// when it is about to take its nth step: a statement, a write to the disk, or the answer.
let left = 0

subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage } // of the channel
  left = Number(request.headers['x-die-at'] ?? 0)
})

function step(): void {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}

for (const name of ['run', 'get', 'all'] as const) {
  const own = StatementSync.prototype[name] as (...args: unknown[]) => unknown
  Object.assign(StatementSync.prototype, {
    [name](this: StatementSync, ...args: unknown[]) {
      step()
      return own.apply(this, args)
    },
  })
}

const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  step()
  return exec.call(this, sql)
}

const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  step()
  return Reflect.apply(query, this, args)
}

const { writeHead } = ServerResponse.prototype
ServerResponse.prototype.writeHead = function (this: ServerResponse, ...args: unknown[]) {
  step()
  return Reflect.apply(writeHead, this, args)
}

const { fdatasync } = fs
Object.assign(fs, {
  fdatasync: (...args: Parameters<typeof fdatasync>) => {
    step()
    return fdatasync(...args)
  },
})
syncBuiltinESMExports()
