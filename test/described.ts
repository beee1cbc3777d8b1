import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

// biome-ignore lint/suspicious/noExplicitAny: a document as its readers have it
type Part = any

/**
 * Lists what an OpenAPI document lacks for the author of a client: examples that fit their schemas,
 * ids, tags and success of each operation, parts that something refers to.
 */
export function gapsOf(document: Part): string[] {
  const ajv = new Ajv2020({ strictSchema: true, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', components: document.components }, undefined, false, false)
  ajv.addKeyword('components')
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
  const gaps: string[] = []

  const names = document.tags.map(({ name }: Part) => name)
  const ids = new Set<string>()
  const used = new Set<string>()
  for (const [path, methods] of Object.entries<Part>(document.paths)) {
    for (const [method, operation] of Object.entries<Part>(methods)) {
      const where = `${method.toUpperCase()} ${path}`
      const { operationId, tags, summary, security, parameters = [], requestBody } = operation
      const say = (what: string) => void gaps.push(`${where}: ${what}`)
      if (!/^[a-z]+([A-Z][a-z]*|V\d)*$/.test(operationId)) say('its id is no word')
      if (ids.has(operationId)) say('its id is that of another operation')
      ids.add(operationId)
      if (tags.length !== 1 || !names.includes(tags[0])) say('it has no tag of the list')
      if (!summary || !Array.isArray(security)) say('it has no summary, or no security')
      for (const given of parameters) {
        const { name, in: place, schema, example, description } = resolve(given)
        if (example === undefined && schema.default === undefined && place !== 'query') {
          say(`no example of ${name}`)
        }
        if (place !== 'path' && !description) say(`no description of ${name}`)
        if (example !== undefined) check(`${where}: ${name}`, schema, example)
      }
      if (requestBody) checkContent(`${where}: body`, requestBody.content)
      const statuses = Object.keys(operation.responses)
      if (!statuses.some((status) => /^[23]/.test(status))) say('it has no success')
      for (const [status, given] of Object.entries<Part>(operation.responses)) {
        const { content = {}, headers = {} } = resolve(given)
        checkContent(`${where}: ${status}`, content)
        for (const [name, header] of Object.entries<Part>(headers)) {
          const { schema, example } = resolve(header)
          check(`${where}: ${name}`, schema, example)
        }
      }
    }
  }
  for (const [name, schema] of Object.entries<Part>(document.components.schemas)) {
    note(schema)
    if (!schema.examples?.length) gaps.push(`${name}: no example`)
    for (const example of schema.examples ?? []) {
      check(name, { $ref: `#/components/schemas/${name}` }, example)
    }
  }
  for (const [kind, parts] of Object.entries<Part>(document.components)) {
    if (kind === 'securitySchemes') continue
    for (const name of Object.keys(parts)) {
      if (!used.has(`#/components/${kind}/${name}`)) gaps.push(`${kind}/${name}: nothing uses it`)
    }
  }
  return [...new Set(gaps)]

  function checkContent(where: string, content: Part): void {
    for (const [type, { schema, example, examples = {} }] of Object.entries<Part>(content)) {
      const given = Object.values<Part>(examples).map((one) => resolve(one).value)
      const all = example === undefined ? given : [example, ...given]
      if (all.length === 0) gaps.push(`${where}: no example as ${type}`)
      for (const one of all) check(`${where} as ${type}`, schema, one)
    }
  }

  function check(where: string, schema: Part, value: unknown): void {
    note(schema)
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
    const validate = compiled.getOrInsertComputed(text, () => ajv.compile(JSON.parse(text)))
    if (validate(value)) return
    gaps.push(`${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
  }

  /** Notes what a part refers to. */
  function note(part: Part): void {
    for (const [, ref = ''] of JSON.stringify(part).matchAll(/"\$ref":"([^"]+)"/g)) used.add(ref)
  }

  function resolve(part: Part): Part {
    if (part.$ref === undefined) return part
    used.add(part.$ref)
    const at = part.$ref.split('/').slice(1)
    return at.reduce((found: Part, name: string) => found[name], document)
  }
}
