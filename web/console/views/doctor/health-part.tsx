import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import type { LoadedPart } from '../overview/parts.ts'
import { doctorHealth } from './doctor-health.ts'

type Report = components['schemas']['DoctorReport']

const shownFindings = 3

/** What doctor found, which is read apart from the status because it takes longer. */
export const loadedPart: LoadedPart<Report> = {
  read: (signal) => dataOf(api.GET('/api/admin/doctor', { signal })),
  judge: doctorHealth,
  Details: Findings,
}

function Findings({ data: { findings } }: { readonly data: Report }) {
  const urgent = findings.filter(({ level }) => level === 'error' || level === 'warning')
  if (urgent.length === 0) return null
  return (
    <ul class="findings">
      {urgent.slice(0, shownFindings).map(({ check, mend, what }) => (
        <li key={`${check} ${what}`}>
          {what} <span class="muted">{mend.do}</span>
        </li>
      ))}
    </ul>
  )
}
