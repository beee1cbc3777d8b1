import { CompiledQuery, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../database.ts'
import type { SchemaObject, SchemaObjects } from '../schema-object.ts'

interface Row {
  readonly name: string
  readonly definition: string
  readonly owner: string
}

// Needs no permission except to connect. Excludes objects of extensions, and `not null`
// constraints, which only later servers list.
const query = `
  with ours as (
    select c.oid, c.relname, c.relkind from pg_class c
    where c.relnamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  )
  select 'table ' || relname as name, '' as definition, relname::text as owner
    from ours where relkind in ('r', 'p')
  union all
  select 'view ' || relname, pg_get_viewdef(oid), relname from ours where relkind = 'v'
  union all
  select 'column ' || relname || '.' || attname,
      format_type(atttypid, atttypmod)
        || case when attcollation in (0, t.typcollation) then '' else ' collate ' || l.collname end
        || case when attnotnull then ' not null' else '' end
        || case when attidentity <> '' then ' identity ' || attidentity::text else '' end
        || case when attgenerated <> '' then ' generated' else '' end
        || coalesce(' default ' || pg_get_expr(adbin, adrelid), ''),
      relname
    from ours join pg_attribute on attrelid = ours.oid and attnum > 0 and not attisdropped
      join pg_type t on t.oid = atttypid
      left join pg_collation l on l.oid = attcollation
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relkind in ('r', 'p')
  union all
  select 'constraint ' || relname || '.' || conname, pg_get_constraintdef(c.oid), relname
    from ours join pg_constraint c on conrelid = ours.oid where contype in ('p', 'u', 'f', 'c', 'x')
  union all
  select 'index ' || i.relname,
      pg_get_indexdef(i.oid) || case when x.indisvalid then '' else ' invalid' end, ours.relname
    from ours join pg_index x on x.indrelid = ours.oid join pg_class i on i.oid = x.indexrelid
    where not exists (select 1 from pg_constraint where conindid = i.oid and contype in ('p', 'u', 'x'))
  union all
  select 'trigger ' || relname || '.' || tgname,
      pg_get_triggerdef(g.oid) || case when tgenabled = 'O' then '' else ' disabled' end, relname
    from ours join pg_trigger g on tgrelid = ours.oid where not tgisinternal
  union all
  select 'function ' || proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', prosrc, ''
    from pg_proc p where pronamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_depend d
        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`

export async function postgresObjects(db: DatabaseOrTransaction): Promise<SchemaObjects> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(query))
  const schema = await sql<{ name: string }>`
    select quote_ident(current_schema()) as name`.execute(db)
  const prefix = `${schema.rows[0]?.name}.`
  return new Map(
    rows.map(({ name, definition, owner }): [string, SchemaObject] => [
      name,
      {
        definition: definition.replaceAll(prefix, '').replaceAll(/\s+/g, ' ').trim(),
        table: owner,
      },
    ]),
  )
}
