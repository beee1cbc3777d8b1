import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvOf } from '../../web/console/views/accounts/csv.ts'

const account: Parameters<typeof csvOf>[0][number] = {
  username: 'ann',
  user_id: 2,
  name: 'Ann',
  email: 'ann@example.org',
  verified_email: null,
  roles: ['USER', 'EDITOR'],
  locked: false,
  locked_until: null,
  active: true,
  deletion_at: null,
  must_change: false,
  second_factor: false,
  identities: 0,
  imported: false,
  last_login_at: null,
  created_at: '2026-03-02T09:00:00.000Z',
}

test('no name of the table begins a formula, and none ends its cell', () => {
  for (const name of [
    '=1+1',
    '+1',
    '-1',
    '@sum(a1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '  =1',
    '\u200b=1',
    '\ufeff@a',
    '\u3000＝1',
    '＋1',
    '－1',
    '＠a',
  ]) {
    assert.equal(nameIn(csvOf([{ ...account, name }])), `"'${name}"`, JSON.stringify(name))
  }
  assert.equal(nameIn(csvOf([{ ...account, name: 'a,"=1' }])), '"a,""=1"')
  assert.equal(nameIn(csvOf([{ ...account, name: 'a-b = c' }])), '"a-b = c"')
})

/** The cell of the name in the only row. */
function nameIn(csv: string): string {
  const [, row = ''] = csv.split(/(?<=created_at)\r\n/)
  return row.slice('"ann","2",'.length, row.indexOf(',"ann@example.org"'))
}
