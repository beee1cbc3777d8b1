const states = `(select 'disabled' as state union all select 'locked'
          union all select 'second_factor' union all select 'total') as states`

/**
 * Counts accounts by property, as `accounts total`, `accounts locked`, `accounts role USER`. Staged
 * accounts count as `import 7 total`, so that completing an import has a constant cost. Replaces
 * account-states.ts, which needed all properties in one row.
 *
 * Triggers subtract before the account is deleted, because its import is unknown afterwards, in the
 * order account, roles, password, which prevents deadlocks.
 */
export const accountTallies = {
  sqlite: [
    `delete from row_counts where ${isOfAccounts()}`,
    ...present().map((rows) =>
      addTo(`select name, sum(total) as total from (${rows}) group by name`),
    ),
    trigger('accounts_counted_in after insert on accounts', addTo(ofAccount('new', flag('new')))),
    trigger(
      'accounts_counted_out before delete on accounts',
      addTo(ofAccount('old', `-${flag('old')}`)),
      ...removals('old'),
    ),
    trigger(
      'accounts_counted_anew after update of locked, active, second_factor on accounts',
      addTo(ofAccount('new', `${flag('new')} - ${flag('old')}`)),
    ),
    trigger('roles_counted_in after insert on role_assignments', addTo(ofRole('new', 1))),
    trigger('roles_counted_out after delete on role_assignments', addTo(ofRole('old', -1))),
    trigger(
      'passwords_counted_in after insert on passwords when new.must_change = 1',
      addTo(ofPassword('new', 'new.must_change')),
    ),
    trigger(
      'passwords_counted_out after delete on passwords when old.must_change = 1',
      addTo(ofPassword('old', '-old.must_change')),
    ),
    trigger(
      'passwords_counted_anew after update of must_change on passwords',
      addTo(ofPassword('new', 'new.must_change - old.must_change')),
    ),
  ],
  postgres: [
    `delete from row_count_slots where ${isOfAccounts()}`,
    ...present().map(addToSlot),
    triggerFunction('count_accounts_in', [
      addToSlot(`${ofAccount('changed', flag('changed'))} cross join changed`),
    ]),
    `create trigger accounts_counted_in after insert on accounts
      referencing new table as changed for each statement execute function count_accounts_in()`,
    triggerFunction(
      'count_account_out',
      [addToSlot(ofAccount('old', `-${flag('old')}`)), ...removals('old')],
      'old',
    ),
    `create trigger accounts_counted_out before delete on accounts
      for each row execute function count_account_out()`,
    triggerFunction('count_account_anew', [
      addToSlot(ofAccount('new', `${flag('new')} - ${flag('old')}`)),
    ]),
    `create trigger accounts_counted_anew
      after update of locked, active, second_factor on accounts
      for each row when ((old.locked, old.active, old.second_factor)
        is distinct from (new.locked, new.active, new.second_factor))
      execute function count_account_anew()`,
    ...perStatement('roles', 'role_assignments', (sign) => ofRole('changed', sign)),
    ...perStatement('passwords', 'passwords', (sign) =>
      ofPassword('changed', `${sign} * changed.must_change`),
    ),
    triggerFunction('count_password_anew', [
      addToSlot(ofPassword('new', 'new.must_change - old.must_change')),
    ]),
    `create trigger passwords_counted_anew after update of must_change on passwords
      for each row when (old.must_change <> new.must_change)
      execute function count_password_anew()`,
  ],
}

function present(): string[] {
  return [
    `${ofAccount('accounts', flag('accounts'))} cross join accounts`,
    `${ofRole('role_assignments', 1)} from role_assignments`,
    `${ofPassword('passwords', 'passwords.must_change')} from passwords`,
  ]
}

/** Some amounts are 0. */
function ofAccount(row: string, total: string): string {
  return `select (case when exists
          (select 1 from imports where imports.id = ${row}.import_id and imports.state <> 'done')
        then 'import ' || ${row}.import_id else 'accounts' end) || ' ' || state as name,
        ${total} as total from ${states}`
}

/** 1 or 0. */
function flag(row: string): string {
  return `(case state when 'disabled' then 1 - ${row}.active when 'locked' then ${row}.locked
          when 'second_factor' then ${row}.second_factor else 1 end)`
}

function ofRole(row: string, sign: number): string {
  return `select ${ownerOf(row)} || ' role ' || ${row}.role as name, ${sign} as total`
}

function ofPassword(row: string, total: string): string {
  return `select ${ownerOf(row)} || ' must_change' as name, ${total} as total`
}

function ownerOf(row: string): string {
  return `coalesce((select 'import ' || imports.id
          from accounts join imports on imports.id = accounts.import_id
          where accounts.user_id = ${row}.account and imports.state <> 'done'), 'accounts')`
}

/** Names that begin with `accounts ` or `import `: `!` follows the space. */
function isOfAccounts(): string {
  return `name >= 'accounts ' and name < 'accounts!' or name >= 'import ' and name < 'import!'`
}

function removals(row: string): string[] {
  return ['role_assignments', 'passwords'].map(
    (table) => `delete from ${table} where account = ${row}.user_id`,
  )
}

/** A trigger adds to each name once. */
function addTo(rows: string): string {
  return `insert into row_counts (name, total)
        select name, total from (${rows}) where total <> 0
        on conflict (name) do update set total = total + excluded.total`
}

/** A fixed order prevents deadlocks. */
function addToSlot(rows: string): string {
  return `insert into row_count_slots as slots (name, slot, total)
        select name, pg_backend_pid() % 64, sum(total) from (${rows}) as counted
        where total <> 0 group by name order by name
        on conflict (name, slot) do update set total = slots.total + excluded.total`
}

function trigger(head: string, ...statements: readonly string[]): string {
  return `create trigger ${head} begin
      ${statements.join(';\n      ')};
    end`
}

function perStatement(
  name: string,
  table: string,
  rows: (sign: number) => string,
): readonly string[] {
  return (['in', 'out'] as const).flatMap((way) => {
    const [change, image, sign] = way === 'in' ? ['insert', 'new', 1] : ['delete', 'old', -1]
    return [
      triggerFunction(`count_${name}_${way}`, [addToSlot(`${rows(Number(sign))} from changed`)]),
      `create trigger ${name}_counted_${way} after ${change} on ${table}
        referencing ${image} table as changed
        for each statement execute function count_${name}_${way}()`,
    ]
  })
}

function triggerFunction(
  name: string,
  statements: readonly string[],
  answer: 'null' | 'old' = 'null',
): string {
  return `create function ${name}() returns trigger language plpgsql as $$
    begin
      ${statements.join(';\n      ')};
      return ${answer};
    end $$`
}
