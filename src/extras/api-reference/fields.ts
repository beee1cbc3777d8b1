import { type Content, type Html, html } from '../../core/http/pages/html.ts'
import { type ApiDocument, nameOf, resolve, type Schema } from './document.ts'
import { prose } from './text.ts'

interface Field {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

// Deeper fields show only the schema name.
const maxDepth = 4

/** Nested fields with their paths. */
export function renderFields(document: ApiDocument, schema: Schema): Html {
  const variants = variantsOf(document, schema)
  if (variants.length > 1) {
    return html`<p>One of these:</p>${variants.map(
      (variant, index) =>
        html`<p class="variant">${nameOf(variant) ?? resolve(document, variant).description ?? `Variant ${index + 1}`}</p>${one(document, variant)}`,
    )}`
  }
  return one(document, schema)
}

/** Variants with fields; plain unions are one type. */
function variantsOf(document: ApiDocument, schema: Schema): readonly Schema[] {
  const { oneOf, anyOf } = resolve(document, schema) as Schema
  const variants = oneOf ?? anyOf ?? []
  return variants.some((variant) => fieldsOf(document, variant, '', 0).length > 0) ? variants : []
}

function one(document: ApiDocument, schema: Schema): Html {
  const fields = fieldsOf(document, schema, '', 0)
  const { description } = resolve(document, schema) as Schema
  return html`<p class="type"><code>${typeOf(document, schema)}</code> ${prose(description)}</p>${
    fields.length > 0 &&
    table(
      ['Field', 'Type', 'Meaning'],
      fields.map(({ name, type, isRequired, description }) => [
        html`<code>${name}</code>${isRequired && html` <span class="required">required</span>`}`,
        html`<code>${type}</code>`,
        prose(description),
      ]),
    )
  }`
}

/** Scrolls in narrow windows. The first column is the row header. */
export function table(titles: readonly string[], rows: readonly (readonly Content[])[]): Html {
  return html`<table><thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([head, ...cells]) =>
      html`<tr><th scope="row">${head}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table>`
}

function fieldsOf(document: ApiDocument, given: Schema, path: string, depth: number): Field[] {
  const schema = resolve(document, given) as Schema
  if (depth > maxDepth) return []
  const { properties = {}, required = [], items, allOf = [], additionalProperties } = schema
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const full = path === '' ? name : `${path}.${name}`
    const { description = '' } = { ...(resolve(document, field) as Schema), ...field }
    const isRequired = required.includes(name)
    return [
      { name: full, type: typeOf(document, field), isRequired, description },
      ...fieldsOf(document, field, full, depth + 1),
    ]
  })
  return [
    ...own,
    ...allOf.flatMap((part) => fieldsOf(document, part, path, depth + 1)),
    ...(items ? fieldsOf(document, items, `${path}[]`, depth + 1) : []),
    ...(typeof additionalProperties === 'object'
      ? fieldsOf(document, additionalProperties, `${path === '' ? '' : `${path}.`}*`, depth + 1)
      : []),
  ]
}

/** One line: `string (date-time)`, `"a" | "b"`, `array of User`. */
export function typeOf(document: ApiDocument, schema: Schema): string {
  const name = nameOf(schema)
  if (name !== undefined) return name
  const { type, format, enum: values, items, anyOf, oneOf, allOf } = schema
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const union = oneOf ?? anyOf
  if (union) return [...new Set(union.map((part) => typeOf(document, part)))].join(' | ')
  if (allOf) return allOf.map((part) => typeOf(document, part)).join(' and ')
  if (type === 'array') return items ? `array of ${typeOf(document, items)}` : 'array'
  if (typeof type === 'object') return type.join(' | ')
  if (type !== undefined) return format ? `${type} (${format})` : type
  return schema.properties ? 'object' : 'any'
}
