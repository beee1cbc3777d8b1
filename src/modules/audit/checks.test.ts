// A database makes a difference: records, checkpoints and accounts are rows of its tables.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { usersOfIds } from '../../../test/users-of-ids.ts'
import { CouldNotCheck } from '../../core/checks/check.ts'
import type { InsideContext } from '../../core/checks/context.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { checks } from './checks.ts'

suite('checks of the audit log', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(directory, { recursive: true }))
  const audit = await storedAudit()
  const { db, start } = audit
  const minute = 60_000
  let [time, files] = [start, 0]
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {
    time = start
  })

  interface Place {
    /** Files of the data directory. */
    readonly names?: readonly string[]
    readonly isPostgres?: boolean
    readonly path?: string
    readonly checkpointSeconds?: number
  }

  /** What a check finds, in English and German. */
  async function found(
    id: string,
    { names = [], isPostgres = false, path = '/missing', checkpointSeconds = 10 }: Place = {},
  ) {
    const check = checks.inside?.find((one) => one.id === id) ?? assert.fail()
    const context = {
      ...{ db, clock: { now: () => time } },
      machine: {
        list: () => names,
        stat: (asked: string) => statSync(asked, { throwIfNoEntry: false }) ?? null,
      },
      config: {
        database: { dataDirectory: directory, postgres: isPostgres ? {} : undefined },
        audit: { checkpointsFile: path, checkpointSeconds },
      },
    } as unknown as InsideContext // what is used
    return (await check.find(context)).map(({ what: { en, de } }) => [en, de])
  }
  async function account(id: number, signedInAt = 0) {
    await usersOfIds(db, id, id)
    const row = { user_id: id, username: `u${id}`, active: 1, locked: 0, created_at: start }
    await db
      .insertInto('accounts')
      .values({ ...row, last_login_at: signedInAt })
      .execute()
  }
  const fileOf = (content: string) => {
    files += 1
    const path = join(directory, `${files}.jsonl`)
    writeFileSync(path, content)
    return path
  }

  suiteOnEmptyLog('of keys of persons', () => {
    const check = () => found('audit_subjects')

    test('find an empty log although there are accounts', async () => {
      assert.deepEqual(await check(), [])
      await account(1)
      assert.deepEqual(await check(), [
        [
          'The audit log has no record, although there are accounts.',
          'Das Protokoll hat keinen Eintrag, obwohl es Konten gibt.',
        ],
      ])
    })

    test('name five users at most', async () => {
      const { at } = await audit.append('a')
      for (let id = 1; id <= 5; id += 1) await account(id, at)
      const sentences = (named: string, en: string, de: string) => [
        [
          `Accounts have signed in, and their keys are gone from the audit log: of users ${named}${en}.`,
          `Konten haben sich angemeldet, und ihre Schlüssel fehlen im Protokoll: von Personen ${named}${de}.`,
        ],
      ]
      assert.deepEqual(await check(), sentences('1, 2, 3, 4, 5', '', ''))
      await account(6, at)
      assert.deepEqual(await check(), sentences('1, 2, 3, 4, 5', ' and others', ' und anderen'))
      for (let id = 1; id <= 6; id += 1) await audit.person(`${id}`)
      assert.deepEqual(await check(), [])
    })
  })

  suiteOnEmptyLog('of the file outside', () => {
    const check = (place?: Place) => found('audit_file', place)
    const missing = (path: string, at: number) => [
      [
        `${path} is missing, and the database has checkpoints until ${isoTime(at)}.`,
        `${path} fehlt, und die Datenbank hat Prüfpunkte bis ${isoTime(at)}.`,
      ],
    ]

    test('find that it is missing, a minute after the last checkpoint', async () => {
      assert.deepEqual(await check(), [])
      await audit.append('a')
      await audit.checkpoint()
      const { at } = await audit.checkpoint(start + 500)
      time = at + minute - 1
      assert.deepEqual(await check(), [])
      time += 1
      assert.deepEqual(await check(), missing('/missing', at))
    })

    test('find nothing on another host than the host of the service', async () => {
      await audit.append('a')
      const { at } = await audit.checkpoint()
      time = at + minute
      for (const names of [[], ['service-1.json.old', 'a-service-1.json', 'service-.json']]) {
        assert.deepEqual(await check({ names, isPostgres: true }), [])
        assert.deepEqual(await check({ names }), missing('/missing', at))
      }
      const names = ['x', 'service-12.json']
      assert.deepEqual(await check({ names, isPostgres: true }), missing('/missing', at))
    })

    test('find that it has no checkpoint', async () => {
      await audit.append('a')
      const { at } = await audit.checkpoint()
      time = at + minute
      assert.deepEqual(await check({ path: fileOf('{"record":{}}\n{"checkpoint":{}}') }), [])
      assert.deepEqual(await check({ path: fileOf(`${' '.repeat(65_524)}"checkpoint"`) }), [])
      for (const content of ['', '{"record":{}}', `${' '.repeat(65_525)}"checkpoint"`]) {
        const path = fileOf(content)
        assert.deepEqual(await check({ path }), [
          [
            `${path} has no checkpoint, and the database has some: it was emptied.`,
            `${path} hat keinen Prüfpunkt, die Datenbank aber schon: Die Datei wurde geleert.`,
          ],
        ])
      }
      const path = join(directory, 'folder')
      mkdirSync(path)
      await assert.rejects(check({ path }), (error: unknown) => {
        assert.ok(error instanceof CouldNotCheck)
        assert.match(error.message, /cannot be read \(EISDIR\)/)
        return true
      })
    })
  })

  suiteOnEmptyLog('of checkpoints', () => {
    const names = ['service-1.json']
    const check = (place?: Place) => found('audit_checkpoints', { names, ...place })
    const late = (since: number, en: string, de: string) => [
      [
        `Records since ${isoTime(since)} are in no checkpoint; ${en}.`,
        `Einträge seit ${isoTime(since)} sind in keinem Prüfpunkt; ${de}.`,
      ],
    ]

    test('find records that none covers, after a quarter of an hour', async () => {
      assert.deepEqual(await check(), [])
      const { at } = await audit.append('a')
      time = at + 15 * minute - 1
      assert.deepEqual(await check(), [])
      time += 1
      assert.deepEqual(await check(), late(at, 'there is none yet', 'es gibt noch keinen'))
      assert.deepEqual(await check({ names: [] }), [])
      const slow = { checkpointSeconds: 301 }
      assert.deepEqual(await check(slow), [])
      time = at + 903_000
      assert.equal((await check(slow)).length, 1)
    })

    test('find nothing where a checkpoint covers all', async () => {
      for (let count = 0; count < 2; count += 1) await audit.append('a')
      const first = await audit.checkpoint()
      time += 60 * minute
      assert.deepEqual(await check(), [])
      const { at } = await audit.append('a')
      const last = isoTime(first.at)
      assert.deepEqual(
        await check(),
        late(at, `the last is of ${last}`, `der letzte ist von ${last}`),
      )
      await audit.checkpoint()
      assert.deepEqual(await check(), [])
    })
  })
})
