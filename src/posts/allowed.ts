import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { type Principal, userIdOf } from '../kernel/principal.ts'
import { decide } from '../policy/decide.ts'
import type { Rule } from '../policy/rules.ts'

/** Who asks, and the rule that lets it or not. */
export interface Asked {
  readonly rule: Rule
  readonly caller: Principal
}

/**
 * A rule as the condition of a statement on posts: it holds for exactly the posts for which `decide`
 * answers true at that moment.
 */
export function allowed(
  eb: ExpressionBuilder<Schema, 'posts'>,
  { rule, caller }: Asked,
): Expression<SqlBool> {
  switch (rule.kind) {
    case 'owner': {
      const id = userIdOf(caller)
      return id === null ? eb.lit(false) : eb('posts.author_id', '=', id)
    }
    case 'unlocked':
      return eb('posts.locked', '=', 0)
    case 'any':
      return eb.or(rule.rules.map((part) => allowed(eb, { rule: part, caller })))
    case 'all':
      return eb.and(rule.rules.map((part) => allowed(eb, { rule: part, caller })))
    default:
      return eb.lit(decide(rule, caller) === true)
  }
}
