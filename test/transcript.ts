/** A command of a document, and the output that the document shows for it. */
export interface Step {
  readonly command: string
  readonly output: string
}

/**
 * Reads the steps of the `sh` listings of a document: commands, and below them their output as
 * comments.
 */
export function readSteps(markdown: string): Step[] {
  const listings = [...markdown.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, text = '']) => text)
  return listings.flatMap((listing) =>
    [...listing.matchAll(/((?:(?!# ).*\n)+)((?:# .*\n)*)/g)].map(
      ([, command = '', output = '']) => ({
        command,
        output: output.replace(/^# /gm, '').trim(),
      }),
    ),
  )
}

export interface CurlState {
  /** Values of `$NAME`. */
  readonly variables: Map<string, string>
  /** Cookies by jar file. */
  readonly jars: Map<string, string>
}

/**
 * Runs a curl command against `origin` in place of the address of the document. Supports the
 * options that the documents use and refuses others.
 */
export async function curl(command: string, origin: string, state: CurlState): Promise<string> {
  const [program, ...words] = splitWords(command, state.variables)
  if (program !== 'curl') throw new Error(`not a curl command: ${command}`)
  const headers = new Headers()
  const data: string[] = []
  let method: string | undefined
  let url: URL | undefined
  let saveTo: string | undefined
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const next = () => words[++index] ?? ''
    if (word === '-s') continue
    else if (word === '-X') method = next()
    else if (word === '-d') data.push(next())
    else if (word === '--data-urlencode') data.push(urlEncoded(next()))
    else if (word === '-u') headers.set('authorization', `Basic ${btoa(next())}`)
    else if (word === '-c') saveTo = next()
    else if (word === '-b') headers.set('cookie', state.jars.get(next()) ?? '')
    else if (word === '-H') {
      const [name = '', value = ''] = next().split(/:\s*(.*)/s)
      headers.set(name, value)
    } else if (word.startsWith('http://')) {
      const { pathname, search } = new URL(word)
      url = new URL(pathname + search, origin)
    } else throw new Error(`an option that this reader does not know: ${word}`)
  }
  if (!url) throw new Error(`no address: ${command}`)
  if (data.length > 0 && !headers.has('content-type')) {
    headers.set('content-type', 'application/x-www-form-urlencoded')
  }
  const response = await fetch(url, {
    method: method ?? (data.length > 0 ? 'POST' : 'GET'),
    headers,
    ...(data.length > 0 && { body: data.join('&') }),
  })
  const [cookie] = response.headers.getSetCookie()
  if (saveTo && cookie) state.jars.set(saveTo, cookie.split(';')[0] ?? '')
  return (await response.text()).trim()
}

/** Encodes `name=content`, as curl does. */
function urlEncoded(text: string): string {
  const [, name = '', content = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  return `${name}=${encodeURIComponent(content)}`
}

/** Compares an output with the document; `$NAME` matches any text and is set to it. */
export function matches(actual: string, documented: string, { variables }: CurlState): boolean {
  const parts = documented.split(/\$([A-Z_]+)/)
  let rest = actual
  let name: string | undefined
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      name = part
      continue
    }
    const at = part === '' ? rest.length : rest.indexOf(part)
    if (at < 0 || (name === undefined && at !== 0)) return false
    if (name !== undefined) variables.set(name, rest.slice(0, at))
    rest = rest.slice(at + part.length)
  }
  return rest === ''
}

/** Splits a shell command into words, with single and double quotes and `$NAME`. */
function splitWords(command: string, variables: ReadonlyMap<string, string>): string[] {
  const expand = (text: string) =>
    text.replace(/\$([A-Z_]+)/g, (_, name: string) => {
      const value = variables.get(name)
      if (value === undefined) throw new Error(`$${name} has no value`)
      return value
    })
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    [...word.matchAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g)]
      .map(([, single, double, bare]) => single ?? expand(double ?? bare ?? ''))
      .join(''),
  )
}
