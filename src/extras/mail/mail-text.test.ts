import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compose } from './compose.ts'
import { readMail } from './mail-text.ts'

const long = 'Open the link to go on, on the page where you began.  Two blanks, and a tab\t. '
const texts = {
  'a text of short lines': 'Hello.\nIt is you.\n',
  'a line that is broken softly': `${long.repeat(6)}\n`,
  'a line with other letters': `${`Grüße von Haus Müller: ${long}`.repeat(4)}\n`,
  'blanks at the ends of lines': 'one \ntwo\t\n\n  three   \n',
  'what looks like an escape': 'a=3D, =\nand = at the end =\n',
  'letters of four bytes': '😀 '.repeat(60),
}
const subjects = [
  'Finish signing up',
  'Finish signing up at Haus Müller',
  `${'Grüße und Küsse von Bärbel '.repeat(6)}Müller`,
  '😀'.repeat(40),
  '日本語の件名',
  'It = a_b? =?',
]

for (const [what, text] of Object.entries(texts)) {
  for (const subject of subjects) {
    test(`a mail is read as it was written: ${what}, ${subject.slice(0, 40)}`, async () => {
      const mail = await compose(
        {
          id: 'anId',
          address: 'ann@example.org',
          message: { subject, text, html: `<p>${text}</p>` },
          at: Date.UTC(2026, 0, 15),
          language: 'en',
        },
        { from: { name: 'Haus Müller', address: 'haus@example.org' }, replyTo: undefined },
      )
      const read = readMail(mail.toString())
      const header = (wanted: string) => read.headers.find(([name]) => name === wanted)?.[1]
      assert.equal(header('Subject'), subject)
      assert.equal(header('From'), 'Haus Müller <haus@example.org>')
      const lines = (read: string | null) => read?.replaceAll('\r\n', '\n').trimEnd()
      assert.equal(lines(read.text), text.trimEnd())
      assert.equal(lines(read.html), `<p>${text}</p>`)
    })
  }
}

test('blanks that a relay added behind a soft line break are no data', () => {
  const content =
    'Subject: =?UTF-8?Q?caf=C3=A9_?=\r\n =?utf-8?b?w7w=?= and =?ISO-8859-1?Q?=FC?=\r\n' +
    'Content-Transfer-Encoding: quoted-printable\r\n\r\none = \t\r\ntwo=\r\n three'
  assert.deepEqual(readMail(content), {
    headers: [
      ['Subject', 'café ü and =?ISO-8859-1?Q?=FC?='],
      ['Content-Transfer-Encoding', 'quoted-printable'],
    ],
    text: 'one two three',
    html: null,
  })
})
