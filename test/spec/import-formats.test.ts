// A database makes a difference: what was imported is read back.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { guardFormula, unguardFormula } from '../../src/core/lib/formula-guard.ts'
import { columns } from '../../src/extras/import-export/csv.ts'
import { transferSchemas } from '../../src/extras/import-export/schemas.ts'
import { csvOf } from '../../web/console/views/accounts/csv.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { assertRefusal } from '../refusal.ts'
import { exportPath, importPath, line, ndjson, readLines, someHash } from '../transfer.ts'

const header = 'username,roles,name,email'
const password = 'quiet melons roll'

suite('an import of CSV, JSON arrays and JSON Lines, told apart by their content', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const send = (body: string | Buffer, { query = '', type = 'text/csv' } = {}) =>
    app.call('POST', importPath + query, { headers: { ...headers, 'content-type': type }, body })
  const dryRun = async (body: string | Buffer, type = 'text/csv') =>
    (await send(body, { query: '?dry_run=true&preview=10', type })).body
  const exported = async (username: string) => {
    const lines = readLines((await app.call('GET', exportPath, { headers })).text)
    const { user_id: _, ...found } = lines.find((one) => one.username === username) ?? {}
    return found
  }
  /** Asserts that a file is refused for these reasons, and that nothing changes. */
  async function refusal(body: string | Buffer, told: readonly string[], type = 'text/csv') {
    const before = await app.rows()
    const answer = await send(body, { type })
    assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'], answer.text)
    const details = answer.body.details as { path: string[]; message: string }[]
    assert.deepEqual(
      details.map(({ path, message }) => `${path.join(' ')}: ${message}`),
      told,
    )
    assert.deepEqual(await app.rows(), before, 'nothing is imported')
  }

  test('the columns are the fields of a line of JSON', () => {
    const { ImportLine } = transferSchemas([])
    assert.deepEqual(columns.toSorted(), Object.keys(ImportLine.properties).toSorted())
  })

  test('each format by each content type: the content decides', async () => {
    const formats: Record<string, (name: string) => string> = {
      csv: (name) =>
        `${header},password_hash\r\n${name},USER,Name of ${name},${name}@example.org,${someHash}\r\n`,
      array: (name) => JSON.stringify([line(name)]),
      'a printed array': (name) => ` \n${JSON.stringify([line(name)], null, 2)}\n`,
      lines: (name) => ndjson([line(name)]),
    }
    let count = 0
    for (const [what, write] of Object.entries(formats)) {
      for (const type of ['text/csv; charset=utf-8', 'application/json', 'application/x-ndjson']) {
        count += 1
        const name = `format${count}`
        const { body, status } = await send(write(name), { type })
        assert.deepEqual([status, body.imported], [200, 1], `${what} as ${type}`)
        const { email } = await exported(name)
        assert.equal(email, `${name}@example.org`)
      }
    }
  })

  test('every column is taken; spreadsheets may write them in their ways', async () => {
    const rows = [
      ' Username ;ROLES;name;email;password_hash;locked;active;must_change;created_at;user_id;',
      `every1;ROLE_EDITOR, USER;"Müller; ""Bo""";e1@example.org;${someHash};TRUE;False;true;2020-02-29T12:30:00+02:00;;`,
      ';;;;;;;;;;',
      '',
      `every2;;"two`,
      `lines";e2@example.org;${someHash};;;;;4711;`,
    ]
    for (const [index, [separator, end, start]] of (
      [
        [';', '\r\n', '\ufeff'],
        ['\t', '\n', ''],
      ] as const
    ).entries()) {
      const text = rows
        .join(end)
        .replaceAll(/;(?! ""Bo)/g, separator)
        .replaceAll('every', `sheet${index}`)
      const { body, status } = await send(start + text)
      assert.deepEqual([status, body.imported, body.lines], [200, 2, 2], JSON.stringify(body))
      assert.deepEqual(await exported(`sheet${index}1`), {
        ...{ username: `sheet${index}1`, roles: ['USER', 'EDITOR'], name: 'Müller; "Bo"' },
        ...{ email: 'e1@example.org', locked: true, active: false, must_change: true },
        ...{ second_factor: false, deletion_at: null, created_at: '2020-02-29T10:30:00.000Z' },
      })
      const { name, roles } = await exported(`sheet${index}2`)
      assert.deepEqual([name, roles], [`two${end}lines`, []])
    }
  })

  test('a plain password is hashed, and may begin with an apostrophe', async () => {
    const text = `${header},password\nplain,USER,P,p@example.org,'=${password}\n`
    assert.equal((await send(text)).body.imported, 1)
    const json = { username: 'plain', password: `'=${password}`, mode: 'token' }
    assert.equal((await app.call('POST', '/login', { json })).status, 200)
  })

  test('without a password and a hash the account has none, until its owner sets one', async () => {
    const text = `${header}\nnone,USER,N,n@example.org\n`
    const { preview } = await dryRun(text)
    assert.deepEqual(
      [preview[0].account.password, preview[0].account.password_hash],
      [false, false],
    )
    assert.equal((await send(text)).body.imported, 1)
    for (const guess of ['', 'null', 'undefined', 'none', 'n@example.org', password]) {
      const json = { username: 'none', password: guess, mode: 'token' }
      assertRefusal(
        await app.call('POST', '/login', { json, from: guess }),
        401,
        'Invalid credentials',
      )
    }
    const { body: account } = await app.call('GET', '/api/admin/accounts/none', { headers })
    const stored = await app.deps.db
      .selectFrom('passwords')
      .selectAll()
      .where('account', '=', account.user_id)
      .execute()
    assert.deepEqual(stored, [])
  })

  test('columns that no field has are ignored, and named', async () => {
    const text = `${header},verified_email,__proto__,constructor\nodd,USER,O,o@example.org,x@example.org,y,z\n`
    const report = await dryRun(text)
    assert.deepEqual(report.ignored_columns, ['verified_email', '__proto__', 'constructor'])
    assert.equal(report.errors_total, 0)
    assert.equal((await dryRun(`${header}\n`)).ignored_columns, undefined)
  })

  test('what the console exports is imported back unchanged', async () => {
    const there = await testApp()
    const bearer = await there.bearer(there.admin)
    const names = [
      '=1+1',
      "'=1",
      "''-x",
      '-',
      '@a',
      '\t=1',
      '＝1',
      'a,"b"',
      'two\r\nlines',
      ' ',
      "it's",
    ]
    for (const [index, name] of names.entries()) {
      const made = line(`trip${index}`, { name, email: `trip${index}@example.org` })
      assert.equal((await send(ndjson([made]))).status, 200)
    }
    await send(ndjson([line('trip-locked', { locked: true, active: false, roles: [] })]))
    const { body: list } = await app.call(
      'GET',
      '/api/admin/accounts?search=trip&sort=username&limit=100',
      { headers },
    )
    assert.equal(list.data.length, names.length + 1)
    const files = [csvOf(list.data), ndjson(list.data)]
    const fields = (rows: Record<string, unknown>[]) =>
      rows.map(({ username, name, email, roles, locked, active, created_at }) => ({
        ...{ username, name, email, roles, locked, active, created_at },
      }))
    for (const body of files) {
      const call = { headers: { ...bearer, 'content-type': 'text/csv' }, body }
      const answer = await there.call('POST', importPath, call)
      assert.deepEqual([answer.status, answer.body.imported], [200, list.data.length], answer.text)
      const { body: again } = await there.call(
        'GET',
        '/api/admin/accounts?search=trip&sort=username&limit=100',
        { headers: bearer },
      )
      assert.deepEqual(fields(again.data), fields(list.data))
      for (const { username } of list.data) {
        const path = `/api/admin/accounts/${username}`
        assert.equal((await there.call('DELETE', path, { headers: bearer })).status, 200)
      }
    }
    await there.close()
  })

  test('the guard of formulas is taken off as it was put on', () => {
    for (const text of ['', "'", "'a", '=1', "'=1", "''=1", "'' =1", 'a=1', '\u200b=1', "'\t-"]) {
      assert.equal(unguardFormula(guardFormula(text)), text, JSON.stringify(text))
    }
    assert.equal(guardFormula("'=1"), "''=1")
  })

  test('a fault names its line and its field', async () => {
    await refusal(
      `${header},password_hash,user_id,locked
right,USER,R,r@example.org,${someHash},,
"two
lines",USER,T,t@example.org,${someHash},,
king,KING,K,nobody,${someHash},,
admin,USER,A,a@example.org,${someHash},,
id,USER,I,i@example.org,${someHash},x,maybe
few,USER
RIGHT,USER,R,r@example.org,${someHash},,
hash,USER,H,h@example.org,plain,,
`,
      [
        'line 3 username: must have 1 to 64 characters, none of them a colon, a control or a zero-width character',
        'line 5 email: must be an e-mail address',
        'line 5 roles 0: must be USER, EDITOR or ADMIN',
        'line 6 username: exists already',
        'line 7 locked: must be boolean',
        'line 7 user_id: must be integer',
        'line 8: has 2 cells, and the first line 7',
        'line 9 username: is on line 2 already',
        'line 10 password_hash: must be a bcrypt, Argon2 or PBKDF2 hash in the form that this service verifies',
      ],
    )
  })

  const notColumn = 'is no column of the first line, which names the columns'
  const cell = 'x'.repeat(1_000_000)
  const good = 'good,USER,G,g@example.org'
  const tables: Record<string, [string | Buffer, readonly string[]]> = {
    'no header': [
      `ann,USER,A,a@example.org\nbob,USER,B,b@example.org\n`,
      [`line 1 username: ${notColumn}`, `line 1 roles: ${notColumn}`],
    ],
    'no roles': ['username,name\nann,Ann\n', [`line 1 roles: ${notColumn}`]],
    'a doubled column': [`${header},Email\n${good},x\n`, ['line 1 email: is a column twice']],
    'a quote that is never closed': [
      `${header}\n"ann,USER,A,a@example.org\n${good}\n`,
      ['line 2 username: has a quote that is never closed'],
    ],
    'text after a closing quote': [
      `${header}\n"ann"x,USER,A,a@example.org\n${good}\n`,
      ['line 2 username: has text after its closing quote'],
    ],
    'a quote in a plain cell': [
      `${header}\nann,USER,5" nail,a@example.org\n${good}\n`,
      ['line 2 name: holds a quote, and is not in quotes'],
    ],
    'a cell of 1 MB': [
      `${header}\nann,USER,${cell},a@example.org\nking,KING,K,k@example.org\n`,
      [
        'line 2: is longer than 65536 bytes, or has a quote that is never closed',
        'line 3 roles 0: must be USER, EDITOR or ADMIN',
      ],
    ],
    'a cell of 1 MB in quotes': [
      `${header}\nann,USER,"${cell}\n${cell}",a\nking,KING,K,k@example.org\n`,
      [
        'line 2: is longer than 65536 bytes, or has a quote that is never closed',
        'line 4 roles 0: must be USER, EDITOR or ADMIN',
      ],
    ],
    'a quote that is never closed before 1 MB': [
      `${header}\n"${cell}\n${good}\n`,
      ['line 2: is longer than 65536 bytes, or has a quote that is never closed'],
    ],
    'thousands of columns twice': [
      `${header},${'a,'.repeat(30_000)}\n${good}\n`,
      ['line 1 a: is a column twice'],
    ],
    'a header of 1 MB': [`username,${cell}\n${good}\n`, ['line 1: is longer than 65536 bytes']],
    'a NUL': [
      `${header}\nann,USER,A\0,a@example.org\n`,
      ['line 2 name: must not hold NUL characters or lone surrogates'],
    ],
    'UTF-16': [
      Buffer.from(`\ufeff${header}\n${good}\n`, 'utf16le'),
      ['line 1: is UTF-16: save the file as UTF-8'],
    ],
    'UTF-16 without its mark': [
      Buffer.from(`${header}\n${good}\n`, 'utf16le'),
      [`line 1 username: ${notColumn}`, `line 1 roles: ${notColumn}`],
    ],
    'ISO 8859-1': [
      Buffer.from(`${header}\nann,USER,Müller,a@example.org\n${good}\n`, 'latin1'),
      ['line 2: is no UTF-8, or has a quote that is never closed'],
    ],
  }
  for (const [what, [body, told]] of Object.entries(tables)) {
    test(`CSV with ${what} is refused`, () => refusal(body, told))
  }

  const one = JSON.stringify(line('one'))
  const arrays: Record<string, [string, readonly string[]]> = {
    'no end': [`[${one}`, ['line 1: is followed by no "]"']],
    'no end after a comma': [`[${one},`, ['line 2: is followed by no "]"']],
    'nothing but a bracket': ['[', ['line 1: is followed by no "]"']],
    'an end within an element': [`[${one},{"username":"x`, ['line 2: is no JSON']],
    'a comma at its end': [`[${one},]`, ['line 2: is no JSON']],
    'a comma alone': ['[,]', ['line 1: is no JSON', 'line 2: is no JSON']],
    'text behind it': [`[${one}]\n${one}\n`, ['line 2: follows the end of the array']],
    'two of them': ['[][]', ['line 1: follows the end of the array']],
    'other elements': [
      `[null,[${one}],"]",7]`,
      [
        'line 1: must be object',
        'line 2: must be object',
        'line 3: must be object',
        'line 4: must be object',
      ],
    ],
    'an element of 1 MB': [
      `[{"username":"${cell}"},${one},{}]`,
      [
        'line 1: is longer than 65536 bytes',
        'line 3 username: is required',
        'line 3 roles: is required',
        'line 3 user_id: is required, unless name and email describe a new user',
      ],
    ],
    'a wrong bracket': [
      `[{"a":1]},${one}]`,
      ['line 1: is no JSON', 'line 2: follows the end of the array'],
    ],
    'the same name twice on a line': [
      `[${one},${one},${one}]`,
      ['line 2 username: is on line 1 already', 'line 3 username: is on line 1 already'],
    ],
  }
  for (const [what, [body, told]] of Object.entries(arrays)) {
    test(`an array with ${what} is refused`, () => refusal(body, told, 'application/json'))
  }

  test('a file without accounts is no mistake, and imports none', async () => {
    for (const body of ['', '\ufeff', '\r\n \n', `${header}\r\n`, header, '[]', ' [ \n ] \n']) {
      const report = await dryRun(body)
      assert.deepEqual([report.lines, report.errors_total], [0, 0], JSON.stringify(body))
    }
  })

  test('a file is read the same however it is cut into pieces', async () => {
    const { readRecords } = await import('../../src/extras/import-export/read-records.ts')
    const texts = [
      `\ufeff\r\n${header}\r\n"a""b\r\n",USER,Ä,x\r\n\r\n${good}`,
      `\n[${one}\n, {"a":"\\"],["} ,[[]], 5 ]\n`,
      `\ufeff\n${one}\r\n\r\n${one}`,
    ]
    for (const text of texts) {
      const bytes = Buffer.from(text)
      const read = async (size: number) => {
        const found: unknown[] = []
        async function* pieces() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
        }
        const options = { otherwise: 'csv', required: [], onIgnored() {} } as const
        for await (const records of readRecords(pieces(), options)) found.push(...records)
        return found
      }
      const whole = await read(bytes.length)
      assert.ok(whole.length >= 2)
      for (let size = 1; size < 20; size += 1) assert.deepEqual(await read(size), whole, `${size}`)
    }
  })

  test('accounts as CSV in another charset are 415, and none is imported', async () => {
    const before = await app.rows()
    for (const type of ['text/csv; charset=utf-16', 'TEXT/CSV;charset=windows-1252']) {
      const answer = await send(`${header}\nann,USER,Ann,ann@example.org\n`, { type })
      assertRefusal(answer, 415, 'Unsupported media type', type)
      assert.equal(answer.headers['accept-encoding'], 'identity', type)
      assert.deepEqual(answer.cookies, {}, type)
    }
    assert.deepEqual(await app.rows(), before)
  })
})

suite('the formats on the command line', () => {
  test('CSV and an array are imported; faults come first, by line and field', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const file = join(directory, 'accounts.csv')
    const run = (words: string, stdin = '') => gatehouse(directory, words, { stdin })
    await run('migrate')
    writeFileSync(file, 'username;roles;name;email;x\nann;USER;Ann;nobody;y\n')
    assert.deepEqual(await run(`account import ${file}`), {
      code: 1,
      stdout: '',
      stderr:
        'line 2: email must be an e-mail address\nignored columns: x\nerror: nothing was imported: 1 errors in 1 lines\n',
    })
    assert.deepEqual(await run('account import -', 'nothing of the kind'), {
      code: 1,
      stdout: '',
      stderr: `line 1: username is no column of the first line, which names the columns
line 1: roles is no column of the first line, which names the columns
error: nothing was imported: 2 errors in 1 lines
`,
    })
    writeFileSync(file, `${header},x\nann,USER,Ann,ann@example.org,y\n`)
    assert.deepEqual(await run(`account import ${file}`), {
      code: 0,
      stdout: '1 accounts imported\n',
      stderr: 'ignored columns: x\n',
    })
    const array = JSON.stringify([line('bob'), line('cid')])
    assert.equal((await run('account import -', array)).stdout, '2 accounts imported\n')
    rmSync(directory, { recursive: true })
  })
})
