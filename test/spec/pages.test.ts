import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ApiError } from '../../src/core/errors.ts'
import { addFrames } from '../../src/core/http/pages/frames.ts'
import { languageOf as preferred } from '../../src/core/http/pages/language.ts'
import type { ErrorPage } from '../../src/core/http/pages/page.ts'
import { refusalPage } from '../../src/core/http/pages/refusal.ts'
import { sendHtml } from '../../src/core/http/pages/send-html.ts'
import { sendView, viewPage } from '../../src/core/http/pages/send-view.ts'
import { createServer } from '../../src/core/http/server/server.ts'
import { anyone } from '../../src/core/policy/rules.ts'
import { type Answer, testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { allExamples, foldersWith, shownExamples } from '../page-examples.ts'
import { assertPage, assertRefusal } from '../refusal.ts'
import { navigation, testBrowser } from '../test-browser.ts'

const accept = navigation
const languageOf = ({ text }: Answer) => /^<!doctype html>\n<html lang="(\w+)">/.exec(text)?.[1]

suite('the language of a page', async () => {
  const app = await testApp()
  const german = await testApp({ PAGES_LANGUAGE: 'de' })
  const ask = (headers: Record<string, string>, path = '/', of = app) =>
    of.call('GET', path, { headers: { accept, ...headers } })

  for (const [asked, expected, byDefault] of [
    [undefined, 'en', 'de'],
    ['*', 'en', 'de'],
    ['de', 'de', 'de'],
    ['de-AT', 'de', 'de'],
    ['DE-ch', 'de', 'de'],
    ['en-GB, de;q=0.9', 'en', 'en'],
    ['de;q=0.8, en;q=0.9', 'en', 'en'],
    ['fr, de;q=0.5, en;q=0.1', 'de', 'de'],
    ['fr', 'en', 'de'],
    ['en;q=0, *', 'de', 'de'],
    ['', 'en', 'de'],
    ['de,'.repeat(400), 'en', 'de'], // longer than any browser's: it is not read
  ] as const) {
    test(`Accept-Language: ${asked?.slice(0, 30) ?? '(none)'}`, async () => {
      const headers = asked === undefined ? {} : { 'accept-language': asked }
      assert.equal(languageOf(await ask(headers)), expected)
      assert.equal(languageOf(await ask(headers, '/', german)), byDefault)
    })
  }

  test('what was chosen comes before it, and ui_locales before both, for the pages that follow', async () => {
    const cookie = '__Host-language=de'
    assert.equal(languageOf(await ask({ cookie, 'accept-language': 'en' })), 'de')
    assert.equal(
      languageOf(await ask({ cookie: '__Host-language=xx', 'accept-language': 'de' })),
      'de',
    )
    const asked = await ask({ cookie }, '/?ui_locales=fr-CA%20en-GB%20de')
    assert.equal(languageOf(asked), 'en')
    assert.match(
      String(asked.headers['set-cookie']),
      /^__Host-language=en; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    for (const query of [
      '',
      '?ui_locales=fr',
      '?ui_locales=de&ui_locales=en',
      '?ui_locales=',
      '?ui_locales=de',
    ]) {
      const answer = await ask({ cookie }, `/${query}`)
      assert.equal(languageOf(answer), 'de', query)
      assert.equal(answer.headers['set-cookie'], undefined, query)
    }
  })

  test('that of a mail or a flow comes before the browser, and after what was chosen', () => {
    const server = { parseCookie: (text: string) => Object.fromEntries([text.split('=')]) }
    const of = (headers: Record<string, string>, query = {}) =>
      preferred({ headers, query, server } as never, 'en', 'de')
    assert.equal(of({ 'accept-language': 'en' }), 'de')
    assert.equal(of({ cookie: '__Host-language=en' }), 'en')
    assert.equal(of({}, { ui_locales: 'en' }), 'en')
  })

  test('a refusal is in it as well', async () => {
    const { status, text } = await ask({ 'accept-language': 'de' }, '/oauth/other/login')
    assert.equal(status, 404)
    assert.ok(text.includes('<h1>Diese Anmeldung gibt es nicht</h1>'), text)
  })

  test('the form at the foot keeps the choice for a year, and shows the same page again', async () => {
    const browser = testBrowser(app, navigation)
    const page = await browser.call(
      'GET',
      '/oauth/second-factor?flow=abc&code=secret&return_to=%2Fx',
    )
    assert.match(page.text, /<form class="languages" method="post" action="\/language"/)
    assert.match(page.text, /name="return_to" value="\/oauth\/second-factor\?flow=abc"/)
    const form = { language: 'de', return_to: '/oauth/second-factor?flow=abc' }
    const answer = await browser.call('POST', '/language', { form })
    assert.deepEqual([answer.status, answer.headers.location], [303, form.return_to])
    assert.match(
      String(answer.headers['set-cookie']),
      /^__Host-language=de; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    assert.equal(languageOf(await browser.open('/')), 'de')
  })

  test('the form: other places are /, other languages change nothing, another origin is 403, and nothing is kept', async () => {
    for (const return_to of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/%2f%2fa',
      '',
    ]) {
      const { headers } = await app.call('POST', '/language', {
        form: { language: 'de', return_to },
      })
      assert.equal(headers.location, '/', return_to)
    }
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const form = { language: 'de' }
    const refused = await app.call('POST', '/language', { form, headers: foreign })
    assertRefusal(refused, 403, 'Access denied')
    assert.equal(refused.headers['set-cookie'], undefined)
    for (const other of [{ language: 'fr' }, { language: 'DE' }, {}]) {
      const { status, headers } = await app.call('POST', '/language', { form: other })
      assert.deepEqual([status, headers.location, headers['set-cookie']], [303, '/', undefined])
    }
  })
})

suite('the look of the organization', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-look-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = (name: string, content: string | Buffer) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(8)])
  const mistakesOf = (env: Record<string, string>): string => {
    try {
      loadConfig(env)
      return ''
    } catch (error) {
      return String(error)
    }
  }

  test('name, colour, logo and texts are on each page, by files and never inline', async () => {
    const texts = {
      en: {
        headline: 'For members <b>',
        help: 'Call 123',
        links: [{ text: 'Imprint', href: '/imprint' }],
      },
      de: {
        help: 'Rufen Sie 123 an',
        links: [{ text: 'Impressum', href: 'https://example.org/i?a&b' }],
      },
    }
    const app = await testApp({
      BRAND_NAME: 'Ann & Co',
      BRAND_COLOR: '#C0FFEE',
      BRAND_LOGO_FILE: file('logo.svg', svg),
      BRAND_TEXTS_FILE: file('texts.json', JSON.stringify(texts)),
    })
    const page = await app.call('GET', '/', { headers: { accept } })
    assertPage(page, 200, 'Ann &amp; Co')
    for (const part of [
      '<title>Authentication and users - Ann &amp; Co</title>',
      'For members &lt;b>',
      'Call 123',
      '<a href="/imprint">Imprint</a>',
    ]) {
      assert.ok(page.text.includes(part), part)
    }
    const [, style = ''] = /href="(\/look\/[^"]+\.css)"/.exec(page.text) ?? []
    const [, logo = ''] = /src="(\/look\/[^"]+\.svg)"/.exec(page.text) ?? []
    const sheet = await app.call('GET', style)
    assert.equal(sheet.headers['content-type'], 'text/css; charset=utf-8')
    assert.match(sheet.text, /--button: #c0ffee;\n {2}--on-button: #000000;/)
    const picture = await app.call('GET', logo)
    assert.deepEqual([picture.status, picture.text], [200, svg])
    assert.equal(picture.headers['content-type'], 'image/svg+xml')
    assert.equal(picture.headers['x-content-type-options'], 'nosniff')
    assert.deepEqual(picture.headers['content-security-policy'], [
      "default-src 'self'; script-src 'self'",
      "sandbox; script-src 'none'",
    ])
    const inGerman = await app.call('GET', '/', { headers: { accept, 'accept-language': 'de' } })
    for (const part of [
      'For members &lt;b>', // of PAGES_LANGUAGE
      'Rufen Sie 123 an',
      '<a href="https://example.org/i?a&amp;b">Impressum</a>',
    ]) {
      assert.ok(inGerman.text.includes(part), part)
    }
  })

  test('the default logo has the colour of the settings', async () => {
    const own = async (settings: Record<string, string>) => {
      const app = await testApp(settings)
      const { text } = await app.call('GET', '/', { headers: { accept } })
      const [, logo = ''] = /<img src="([^"]+)"/.exec(text) ?? []
      assert.ok(
        text.includes(`rel="icon"`) && text.includes(`href="${logo}"`),
        'it is the icon too',
      )
      return (await app.call('GET', logo)).text
    }
    const usual = await own({})
    assert.match(usual, /stroke="#4a7ab5"/)
    const colored = await own({ BRAND_COLOR: '#FF8000' })
    assert.equal(colored, usual.replace('#4a7ab5', '#ff8000'))
    assert.equal(await own({ BRAND_COLOR: '#FF8000', BRAND_LOGO_FILE: file('own.svg', svg) }), svg)
  })

  test('without settings there is none of it', async () => {
    const app = await testApp()
    const { text } = await app.call('GET', '/', { headers: { accept } })
    assert.ok(!text.includes('/look/') && !text.includes('class="help"'), text)
    assertRefusal(await app.call('GET', '/look/abc/look.css'), 404, 'Route not found')
  })

  test('a PNG is one', async () => {
    const app = await testApp({ BRAND_LOGO_FILE: file('logo.png', png) })
    const { text } = await app.call('GET', '/', { headers: { accept } })
    const [, logo = ''] = /src="(\/look\/[^"]+\.png)"/.exec(text) ?? []
    assert.equal((await app.call('GET', logo)).headers['content-type'], 'image/png')
  })

  for (const [name, content, mistake] of [
    ['a.svg', '<html></html>', 'neither SVG nor PNG'],
    ['b.svg', 'text before <svg></svg>', 'neither SVG nor PNG'],
    ['c.svg', `<svg><script>alert(1)</script></svg>`, 'an SVG with a script'],
    ['d.svg', `<svg onload = "alert(1)"></svg>`, 'an SVG with a script'],
    ['e.svg', `<svg><a href="JavaScript:alert(1)"/></svg>`, 'an SVG with a script'],
    ['f.svg', '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg/>', 'neither SVG nor PNG'],
    ['g.svg', Buffer.alloc(65_537, ' '), 'longer than 64 KiB'],
    ['h.png', Buffer.from('ffd8ffe0', 'hex'), 'neither SVG nor PNG'],
  ] as const) {
    test(`a logo that is refused at the start: ${name}, ${mistake}`, () => {
      const BRAND_LOGO_FILE = file(name, content)
      assert.match(
        mistakesOf({ BRAND_LOGO_FILE }),
        new RegExp(`BRAND_LOGO_FILE names .*, .*${mistake}`),
      )
    })
  }

  for (const [texts, mistake] of [
    ['{', 'which is not JSON'],
    ['[]', 'has in the file something else than an object'],
    ['{"fr":{}}', 'has fr, which is none of en, de'],
    ['{"en":{"foot":"x"}}', 'has en.foot: there are headline, help and links'],
    ['{"en":{"help":7}}', 'has in en.help something else than a text of at most 500 characters'],
    ['{"en":{"help":"a\\u0000b"}}', 'has in en.help a control character'],
    ['{"en":{"links":{}}}', 'has in en.links something else than a list of at most 10 links'],
    [
      '{"de":{"links":[{"text":"x","href":"javascript:alert(1)"}]}}',
      'has in de.links[0].href no address',
    ],
    [
      '{"de":{"links":[{"text":"x","href":"//evil.example"}]}}',
      'has in de.links[0].href no address',
    ],
    ['{"de":{"links":[{"text":"x"}]}}', 'has in de.links[0].href something else than a text'],
    [
      '{"de":{"links":[{"text":"x","href":"/","rel":"x"}]}}',
      'has de.links[0].rel: there are text and href',
    ],
  ] as const) {
    test(`own texts that are refused at the start: ${mistake}`, () => {
      const BRAND_TEXTS_FILE = file('bad.json', texts)
      const told = mistakesOf({ BRAND_TEXTS_FILE })
      assert.ok(told.includes(`BRAND_TEXTS_FILE ${mistake}`) || told.includes(mistake), told)
      assert.ok(told.includes('BRAND_TEXTS_FILE'), told)
    })
  }

  test('files that are none, and colours that are none', () => {
    for (const name of ['BRAND_LOGO_FILE', 'BRAND_TEXTS_FILE']) {
      assert.match(mistakesOf({ [name]: join(folder, 'nothing') }), /cannot be read \(ENOENT\)/)
      assert.match(mistakesOf({ [name]: folder }), /which is no file/)
    }
    for (const BRAND_COLOR of ['red', '#fff', '#12345g', '#1234567', 'url(x)', '#000000;}']) {
      assert.match(mistakesOf({ BRAND_COLOR }), /BRAND_COLOR must be a colour like #1a5fb4/)
    }
  })
})

suite('the policy of a page', () => {
  const headersWith = (returnOrigin: string | null) => {
    let sent: Record<string, unknown> = {}
    const reply = {
      headers: (headers: typeof sent) => {
        sent = headers
        return reply
      },
      serializer: () => reply,
      send: () => reply,
    }
    sendHtml(reply as never, '', { returnOrigin })
    return sent['content-security-policy']
  }

  test('names the origin of a return address beside its own, because a form leads there in the end', () => {
    assert.deepEqual(headersWith('https://app.example.org'), [
      "default-src 'self'; script-src 'self'",
      "form-action 'self' https://app.example.org; base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
    ])
  })

  test('and takes nothing else for an origin', () => {
    for (const text of [
      'https://a.example/',
      'https://a.example; script-src *',
      '*',
      'https:',
      '',
    ]) {
      assert.throws(() => headersWith(text), /no origin/, text)
    }
  })
})

suite('a page that is sent', async () => {
  const app = await testApp()
  const lines: object[] = []
  const { deps } = app
  const server = await createServer(deps)
  addFrames(server, deps.config)
  server.addHook('onRequest', async (request) => {
    request.log = { ...request.log, error: (line: object) => lines.push(line) } as never
  })
  const refuse = () => {
    throw new ApiError('tooManyRequests', { retryAfterSeconds: 7, reason: { code: 'x-test' } })
  }
  const errorPages: Record<string, ErrorPage> = {
    '/broken': () => viewPage('home', undefined as never),
    '/words': (error, request) => refusalPage(error, request, '/begin'),
    '/elsewhere': () => ({ location: '/begin' }),
  }
  for (const [path, errorPage] of Object.entries(errorPages)) {
    server.get(path, { config: { access: { rule: anyone }, errorPage } }, refuse)
  }
  server.get('/shown', async (request, reply) =>
    sendView(
      reply,
      request,
      'landing',
      { what: 'linked', path: '/account' },
      {
        status: 202,
        language: 'de',
        person: 'ann <b>',
        returnOrigin: 'https://app.example.org',
      },
    ),
  )
  after(() => server.close())
  const ask = (url: string, headers = {}) => server.inject({ url, headers: { accept, ...headers } })

  test('has the status, the language of the account, who is signed in, and where its forms may lead', async () => {
    const cookie = '__Host-language=en'
    const { statusCode, body, headers } = await ask('/shown?ui_locales=en', { cookie })
    assert.equal(statusCode, 202)
    assert.match(body, /^<!doctype html>\n<html lang="de">/)
    assert.ok(
      body.includes(
        '<a href="/account">Angemeldet als ann &lt;b></a> <a href="/signout">Abmelden</a>',
      ),
      body,
    )
    assert.ok(!body.includes('action="/language"'), 'the account has the language')
    assert.match(
      String(headers['content-security-policy']),
      /form-action 'self' https:\/\/app\.example\.org;/,
    )
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['referrer-policy'], 'same-origin')
  })

  test('of a refusal has its words, or leads elsewhere; JSON stays as it was', async () => {
    const words = await ask('/words')
    assert.deepEqual([words.statusCode, words.headers['retry-after']], [429, '7'])
    assert.ok(words.body.includes('<h1>You have asked too often</h1>'))
    assert.ok(words.body.includes('Try again in 7 seconds.'))
    assert.ok(words.body.includes('href="/begin"'))
    const away = await ask('/elsewhere')
    assert.deepEqual([away.statusCode, away.headers.location], [303, '/begin'])
    const plain = await ask('/words', { accept: 'application/json' })
    assert.deepEqual([plain.statusCode, plain.json()], [429, { error: 'Too many requests' }])
  })

  test('and cannot be made: the refusal as JSON, and a line in the log', async () => {
    const { statusCode, headers, body } = await ask('/broken')
    assert.deepEqual([statusCode, JSON.parse(body)], [429, { error: 'Too many requests' }])
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(lines.length, 1)
    assert.ok('err' in (lines[0] ?? {}))
  })
})

suite('every page, in each of its states', async () => {
  const shown = await shownExamples()
  const app = await testApp()

  test('has an example', async () => {
    const examples = await allExamples()
    assert.deepEqual(foldersWith('pages.tsx'), foldersWith('examples.ts'))
    const bare = Object.entries(examples).filter(([, all]) => Object.keys(all).length === 0)
    assert.deepEqual(bare, [])
    assert.ok(shown.length >= 2 * Object.keys(examples).length)
  })

  test('is less than 30 kB with all that it loads, compressed', async () => {
    let files = 0
    for (const name of ['pages.css', 'pages.js', 'captcha-worker.js', 'icon.svg']) {
      const [, folder = ''] = /"(\/assets\/[^/]+\/)pages\.css"/.exec(shown[0]?.text ?? '') ?? []
      const { status, text } = await app.call('GET', folder + name)
      assert.equal(status, 200, name)
      files += gzipSync(text).length
    }
    for (const { name, example, text } of shown) {
      const bytes = files + gzipSync(text).length
      assert.ok(bytes < 30_000, `${name}, ${example}: ${bytes}`)
    }
  })

  for (const { name, example, language, text } of shown) {
    test(`${name}, ${example}, ${language}: one heading, labels, tokens, nothing inline`, () => {
      assert.equal(text.match(/<h1>/g)?.length, 1)
      assert.ok(text.startsWith(`<!doctype html>\n<html lang="${language}">`))
      const bare = text.replace(/"[^"]*"/g, '""')
      assert.doesNotMatch(bare, /<script(?! type="" src="">)|<style| style=| on[a-z]+=/i)
      assert.doesNotMatch(text, /undefined|\[object|NaN|Invalid Date/)
      assert.doesNotMatch(text, /(?:src|action)="(?!\/)|href="(?:javascript|data):/i)
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      assert.deepEqual(ids, [...new Set(ids)])
      for (const [, described = ''] of text.matchAll(/ aria-describedby="([^"]+)"/g)) {
        for (const id of described.split(' ')) assert.ok(ids.includes(id), id)
      }
      for (const [input] of text.matchAll(/<input [^>]+>/g)) {
        if (/type="hidden"/.test(input)) continue
        if (!/aria-hidden="true"/.test(input)) {
          const [, id] = / id="([^"]+)"/.exec(input) ?? []
          assert.ok(text.includes(`<label for="${id}"`) || text.includes(` for="${id}"`), input)
        }
        if (!/type="(?:checkbox|radio)"/.test(input))
          assert.match(input, / autocomplete="[a-z-]+(?: webauthn)?"/)
      }
      for (const [form] of text.matchAll(/<form [^>]+>/g)) {
        assert.match(form, / method="post" action="\//)
      }
      assert.equal(text.match(/ autofocus/g)?.length ?? 0, Number(/ autofocus/.test(text)))
    })
  }
})
