import { api, dataOf } from '../../api/client.ts'
import { type AuditRecord, filtersOf, type Wanted } from './around.ts'

const perQuestion = 30

/** Reads the records around a refusal, the newest first. That an operator reads is no part of it. */
export async function readAround(wanted: Wanted, signal: AbortSignal): Promise<AuditRecord[]> {
  const pages = await Promise.all(
    filtersOf(wanted).map((filters) =>
      dataOf(
        api.GET('/api/admin/audit', {
          params: { query: { ...filters, limit: perQuestion } },
          signal,
        }),
      ),
    ),
  )
  const all = new Map(pages.flatMap(({ data }) => data.map((record) => [record.number, record])))
  return [...all.values()]
    .filter(({ type }) => type !== 'sensitive_read')
    .toSorted((one, other) => other.number - one.number)
}
