import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Schema } from '../../core/database/schema.ts'
import { decide } from '../../core/policy/decide.ts'
import { type Principal, userIdOf } from '../../core/policy/principal.ts'
import type { Rule } from '../../core/policy/rules.ts'

/** A caller, and the rule that allows or denies it. */
export interface AccessRequest {
  readonly rule: Rule
  readonly caller: Principal
}

/**
 * Converts a rule to the condition of a statement on posts. The condition holds for exactly the
 * posts for which `decide` answers true at that moment.
 */
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
