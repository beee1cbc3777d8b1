import { useLanguage } from '../../context.ts'
import { groupsFor } from '../areas.ts'
import { frameTexts } from '../frame-texts.ts'
import { session } from '../session/session.ts'

interface Props {
  /** The path of the area of the address, if there is one. */
  readonly current: string | undefined
  /** On a phone; on a desk the areas always stand at the side. */
  readonly isOpen: boolean
}

/** The areas that the person's roles may see. */
export function AreasMenu({ current, isOpen }: Props) {
  const t = frameTexts.use()
  const language = useLanguage()
  return (
    <nav id="areas" class={isOpen ? 'areas open' : 'areas'} aria-label={t.navigation}>
      {groupsFor(session.value?.roles ?? []).map((group) => (
        <ul key={group[0]?.path}>
          {group.map(({ name, path }) => (
            <li key={path}>
              <a href={path} {...(path === current && { 'aria-current': 'page' as const })}>
                {name[language]}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}
