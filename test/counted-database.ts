import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CompiledQuery, Dialect, Driver } from 'kysely'
import { loadConfig } from '../src/config/load.ts'
import { connect } from '../src/database/connect.ts'
import type { TestOptions } from './app.ts'
import { databaseSettings, placeSqliteFile } from './database.ts'

/** The statements that were sent to the database. */
export interface Count {
  /** Includes `begin` and `commit`, but not the settings of a connection. */
  readonly statements: number
  readonly transactions: number
}

/**
 * Options of a service whose statements are counted at the driver. Its change feed is always
 * current: otherwise the number of statements would depend on real time.
 */
export async function countedDatabase(): Promise<CountedDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  await placeSqliteFile(directory)
  const { database } = loadConfig({ NODE_ENV: 'test', ...(await databaseSettings(directory)) })
  const count = { statements: 0, transactions: 0 }
  const wrap = (dialect: Dialect) => counting(dialect, count)
  const { feed, ...connected } = connect({ ...database, synchronous: 'off', wrap })
  return {
    options: { directory, deps: { ...connected, feed: { ...feed, isCurrent: () => true } } },
    async during(work) {
      const { statements, transactions } = count
      const result = await work()
      return {
        result,
        count: {
          statements: count.statements - statements,
          transactions: count.transactions - transactions,
        },
      }
    },
  }
}

export interface CountedDatabase {
  readonly options: Pick<TestOptions, 'directory' | 'deps'>
  /** Counts the statements that are sent during the work. */
  during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly count: Count }>
}

function counting(dialect: Dialect, count: { statements: number; transactions: number }): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver: () => countingDriver(dialect.createDriver(), count),
  }
}

function countingDriver(
  driver: Driver,
  count: { statements: number; transactions: number },
): Driver {
  return {
    init: (options) => driver.init(options),
    destroy: (options) => driver.destroy(options),
    releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
    async acquireConnection(options) {
      const connection = await driver.acquireConnection(options)
      const execute = connection.executeQuery.bind(connection)
      connection.executeQuery = <R>(query: CompiledQuery) => {
        count.statements += 1
        return execute<R>(query)
      }
      return connection // a lease, made for this use only
    },
    beginTransaction(connection, settings) {
      count.statements += 1
      count.transactions += 1
      return driver.beginTransaction(connection, settings)
    },
    commitTransaction(connection) {
      count.statements += 1
      return driver.commitTransaction(connection)
    },
    rollbackTransaction(connection) {
      count.statements += 1
      return driver.rollbackTransaction(connection)
    },
  }
}
