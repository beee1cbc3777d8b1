import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { suite, test } from 'node:test'
import { pathOfSample, readSample, renderSamples, samples } from '../../../../test/mail-samples.ts'
import { languages } from '../../../core/lib/languages.ts'
import { en } from '../languages/en.ts'
import { type MessageContext, noticeTypes } from '../message-types.ts'
import { sampleSecrets } from '../samples.ts'
import { groupedCode, plainName } from './letter.ts'
import { render } from './render.ts'
import { durationInWords } from './words.ts'

const base = 'https://id.example.org'
const linked: MessageContext = {
  ...{ name: 'Harbour', baseUrl: base, link: `${base}/reset?token=abc.def`, code: '12345678' },
  expiresAt: 1_800_000,
}
const hostile =
  '</p><a href="https://evil.example">Ann</a>\r\nBcc: evil@example.com\u202E\u200B\u0007'
const from = { at: 0, address: '203.0.113.7', device: null }

suite('the messages', () => {
  const rendered = renderSamples()

  test('are those of the golden files (npm run docs)', () => {
    const files = languages.flatMap((language) =>
      readdirSync(pathOfSample(language)).map((name) => `${language}/${name}`),
    )
    assert.deepEqual(files.sort(), [...rendered.keys()].sort())
    for (const [name, text] of rendered) assert.equal(text, readSample(name), name)
  })

  test('have a sample of each name', () => {
    const names = new Set<string>(samples.map(({ message }) => message))
    for (const name of noticeTypes) assert.ok(names.has(name), name)
    assert.equal(names.size, noticeTypes.length + 11)
  })

  for (const language of languages) {
    test(`${language}: no subject holds a secret or more than a line`, () => {
      for (const { message, facts, context, title } of samples) {
        const { subject } = render(message, facts, language, context)
        assert.ok(!subject.includes(sampleSecrets.token), title)
        assert.doesNotMatch(subject, /\d{4}|[\r\n]/, title)
      }
    })

    test(`${language}: the text says all that the HTML says, and its link is written out`, () => {
      for (const { message, facts, context, title } of samples) {
        const { text, html } = render(message, facts, language, context)
        const flat = text.replace(/\s+/g, ' ')
        const body = html.slice(html.indexOf('class="card"'))
        for (const [, content = ''] of body.matchAll(/<p class="text"[^>]*>([^<]+)<\/p>/g)) {
          assert.ok(flat.includes(content), `${title}: ${content}`)
        }
        if (context.link) assert.ok(text.includes(`\n${context.link}\n`), title)
        if (context.link) assert.ok(html.includes(`>${context.link}<`), title)
      }
    })

    test(`${language}: the HTML loads nothing and links to this service alone`, () => {
      for (const { message, facts, context, title } of samples) {
        const { html } = render(message, facts, language, context)
        assert.match(html, new RegExp(`^<!doctype html>\n<html lang="${language}" dir="ltr">`))
        assert.doesNotMatch(
          html,
          /<(img|link|script|iframe|object|form)\b|url\(|@import|src=/,
          title,
        )
        for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) {
          assert.ok(href.startsWith(`${base}/`), `${title}: ${href}`)
        }
      }
    })

    test(`${language}: hostile names add no tag, no line and no invisible character`, () => {
      for (const { message, facts, context, title } of samples) {
        const named = { ...facts, username: hostile, name: hostile, invitedBy: hostile }
        const [plain, odd] = [
          render(
            message,
            { ...facts, username: 'x', name: 'x', invitedBy: 'x' },
            language,
            context,
          ),
          render(message, { ...named, provider: hostile, newAddress: hostile }, language, {
            ...context,
            name: hostile,
          }),
        ]
        const tags = (html: string) => [...html.matchAll(/<a /g)].length
        assert.equal(tags(odd.html), tags(plain.html), title)
        assert.doesNotMatch(odd.html, /<a href="https:\/\/evil/, title)
        assert.doesNotMatch(odd.subject, /[\p{Cc}\p{Cf}]/u, title)
        assert.doesNotMatch(odd.text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u, title)
      }
    })
  }

  test('a message without its link, and a link that is none of the web, are refused', () => {
    const { link: _, ...bare } = linked
    assert.throws(() => render('reset', { username: 'ann' }, 'en', bare), /has no link/)
    const script = { ...linked, link: 'javascript:alert(1)' }
    assert.throws(() => render('reset', { username: 'ann' }, 'en', script), /the web alone/)
  })

  test('the lifetime is in words, and no longer than it is but for a moment', () => {
    for (const [at, words] of [
      [5000, 'for 30 minutes'], // the request took them
      [5001, 'for 29 minutes'],
    ] as const) {
      const origin = { ...from, at }
      const { text } = render('reset', { username: 'ann', origin }, 'en', linked)
      assert.ok(text.includes(`${words}: until 1 January 1970 at 00:30 UTC`), text)
    }
    const lengths = [50_000, 60_000, 3_599_980, 3_600_000, 5_400_000, 86_399_970, 604_799_999]
    assert.deepEqual(
      lengths.map((ms) => durationInWords(en, ms)),
      ['1 minute', '1 minute', '1 hour', '1 hour', '90 minutes', '24 hours', '7 days'],
    )
    assert.equal(durationInWords(en, 2_591_000_000), '29 days')
  })

  test('a code that the reader cannot type is left out', () => {
    const has = (text: string) => text.includes('1234 5678')
    const own = render('reset', { username: 'ann', origin: from }, 'en', linked)
    const byAdministrator = { username: 'ann', origin: from, by: 'administrator' } as const
    assert.ok(has(own.text) && has(own.html))
    assert.ok(!has(render('reset', byAdministrator, 'en', linked).text))
    const invited = { name: null, invitedBy: null }
    assert.ok(!has(render('invitation', invited, 'en', linked).text))
  })

  test('address and device of an administrator are not told', () => {
    const origin = { at: 0, address: '203.0.113.7', device: { browser: 'Edge', system: 'Windows' } }
    const facts = { username: 'ann', origin, by: 'administrator' } as const
    for (const message of ['password_changed', 'factor_removed'] as const) {
      assert.doesNotMatch(render(message, facts, 'en', linked).text, /203\.0\.113|Edge|Windows/)
    }
  })

  test('names are one short line, codes stand in groups', () => {
    assert.equal(plainName('a\r\n\tb\u0000\u2028c'), 'a b c')
    assert.equal([...plainName('\u{1F600}'.repeat(200))].length, 64)
    assert.equal(groupedCode('12345678'), '1234 5678')
  })
})
