import { request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'

export interface Answer {
  readonly status: number | undefined
  readonly location: string
  readonly text: string
}

/** A browser as far as redirects and cookies go: every name leads to 127.0.0.1, any certificate is taken. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>()

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#send('GET', url, headers)
  }

  post(url: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.#send('POST', url, headers, new URLSearchParams(fields).toString())
  }

  /** Follows at most 10 redirects. */
  async follow(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    let answer = await this.get(url, headers)
    for (let steps = 0; answer.location !== '' && steps < 10; steps += 1) {
      answer = await this.get(answer.location, headers)
    }
    return answer
  }

  #send(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    body = '',
  ): Promise<Answer> {
    const { protocol, hostname: host, pathname, search } = new URL(url)
    const request = protocol === 'https:' ? requestSecurely : requestPlainly
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const navigation = {
      accept: 'text/html',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    const options = {
      method,
      host: '127.0.0.1',
      servername: host,
      path: pathname + search,
      rejectUnauthorized: false,
      headers: {
        host,
        ...(method === 'GET' ? navigation : {}),
        ...headers,
        ...(cookie && { cookie }),
      },
    }
    return new Promise((resolve, reject) => {
      const sent = request(options, (answer) => {
        for (const line of answer.headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          jar.set(name, value)
        }
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        const { location } = answer.headers
        answer.on('end', () =>
          resolve({
            status: answer.statusCode,
            location: location === undefined ? '' : new URL(location, url).href,
            text,
          }),
        )
      })
      sent.on('error', reject).end(body)
    })
  }
}
