import { frameTexts } from '../frame-texts.ts'
import { groupsFor } from '../navigation.ts'
import { session } from '../session/session.ts'

interface Props {
  /** The area of the address, if there is one. */
  readonly current: string | undefined
  /** On a phone; on a desk the areas always stand at the side. */
  readonly isOpen: boolean
}

/** The areas that the person's roles may see. */
export function AreasMenu({ current, isOpen }: Props) {
  const t = frameTexts.use()
  return (
    <nav id="areas" class={isOpen ? 'areas open' : 'areas'} aria-label={t.navigation}>
      {groupsFor(session.value?.roles ?? []).map((group) => (
        <ul key={group[0]?.id}>
          {group.map(({ id, path }) => (
            <li key={id}>
              <a href={path} {...(id === current && { 'aria-current': 'page' as const })}>
                {t.areas[id]}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}
