/** A browser, or another program, and its operating system; null: not recognised. */
export interface Device {
  readonly browser: string | null
  readonly system: string | null
}

const maxLength = 256

/**
 * The marks of browsers and programs, in the order in which they count: most browsers name those
 * that they are built on as well.
 */
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
 * Names the browser and the operating system of a User-Agent, for a person to recognise. The names
 * are ours, never text of the header, so that a header puts nothing into a mail. It looks for fixed
 * marks in the first 256 characters: no header makes it slow.
 */
export function parseUserAgent(header: string | null): Device {
  const text = (header ?? '').slice(0, maxLength)
  const named = (marks: typeof browsers) => marks.find(([mark]) => text.includes(mark))?.[1] ?? null
  return { browser: named(browsers), system: named(systems) }
}
