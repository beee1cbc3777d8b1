import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Schema } from '../../core/database/schema.ts'
import { decide } from '../../core/policy/decide.ts'
import { type Principal, userIdOf } from '../../core/policy/principal.ts'
import type { Rule } from '../../core/policy/rules.ts'

export interface AccessRequest {
  readonly rule: Rule
  readonly caller: Principal
}

/** Converts a rule to SQL; must match exactly the posts that `decide` allows. */
export function allowed(
  eb: ExpressionBuilder<Schema, 'posts'>,
  { rule, caller }: AccessRequest,
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
