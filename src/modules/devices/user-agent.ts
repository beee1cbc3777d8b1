/** Null: not recognised. */
export interface Device {
  readonly browser: string | null
  readonly system: string | null
}

const maxLength = 256

/** First match wins: browsers also name the browsers on which they are based. */
const browsers: readonly (readonly [mark: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['OPR/', 'Opera'],
  ['OPT/', 'Opera'],
  ['Vivaldi/', 'Vivaldi'],
  ['YaBrowser/', 'Yandex Browser'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['DuckDuckGo/', 'DuckDuckGo'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chromium/', 'Chromium'],
  ['HeadlessChrome/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
  ['Wget/', 'Wget'],
  ['PostmanRuntime/', 'Postman'],
  ['python-requests/', 'Python'],
  ['okhttp/', 'OkHttp'],
  ['Go-http-client/', 'Go'],
  ['Java/', 'Java'],
  ['Dart/', 'Dart'],
]

const systems: readonly (readonly [mark: string, name: string])[] = [
  ['iPhone', 'iOS'],
  ['iPod', 'iOS'],
  ['iPad', 'iPadOS'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Macintosh', 'macOS'],
  ['Mac OS X', 'macOS'],
  ['FreeBSD', 'FreeBSD'],
  ['OpenBSD', 'OpenBSD'],
  ['Linux', 'Linux'],
  ['X11', 'Linux'],
]

/**
 * For people. Returns fixed names, never text of the header, so that a header cannot inject text
 * into mail. Searches only 256 characters, to bound the time.
 */
export function parseUserAgent(header: string | null): Device {
  const text = (header ?? '').slice(0, maxLength)
  const named = (marks: typeof browsers) => marks.find(([mark]) => text.includes(mark))?.[1] ?? null
  return { browser: named(browsers), system: named(systems) }
}
