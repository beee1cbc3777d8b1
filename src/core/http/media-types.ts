export const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  lines: 'application/x-ndjson',
  csv: 'text/csv',
  html: 'text/html',
} as const

export const contentTypes = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
} as const
