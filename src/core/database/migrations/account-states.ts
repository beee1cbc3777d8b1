/**
 * Counts accounts by role and flags (locked, active, must_change, second_factor), as `accounts USER
 * 0100`. Staged accounts count as `import 7 USER 0100`, so that completing an import has a constant
 * cost.
 */
export const accountStates = {
  sqlite: [
    `insert into row_counts (name, total)
      select ${nameOf('accounts')} as state, count(*) from accounts group by state`,
    `create trigger accounts_counted_in after insert on accounts begin
      ${addTo(`values (${nameOf('new')}, 1)`)};
    end`,
    `create trigger accounts_counted_out after delete on accounts begin
      ${addTo(`values (${nameOf('old')}, -1)`)};
    end`,
    `create trigger accounts_counted_anew
      after update of roles, locked, active, must_change, second_factor on accounts
      when ${nameOf('old')} <> ${nameOf('new')} begin
      ${addTo(`values (${nameOf('old')}, -1), (${nameOf('new')}, 1)`)};
    end`,
    `create trigger imports_counted after update of state on imports
      when new.state = 'done' and old.state <> 'done' begin
      ${addTo(`select ${seenName('new')}, total from row_counts where ${isOfImport('new')}`)};
      delete from row_counts where ${isOfImport('new')};
    end`,
    `create trigger imports_uncounted after delete on imports begin
      delete from row_counts where ${isOfImport('old')};
    end`,
  ],
  postgres: [
    triggerFunction(
      'count_accounts',
      addToSlot(`
        select ${nameOf('changed')} as name, tg_argv[0]::bigint * count(*) as total
        from changed group by 1`),
    ),
    `create trigger accounts_counted_in after insert on accounts
      referencing new table as changed for each statement execute function count_accounts('1')`,
    `create trigger accounts_counted_out after delete on accounts
      referencing old table as changed for each statement execute function count_accounts('-1')`,
    triggerFunction(
      'count_account_anew',
      addToSlot(`
        select ${nameOf('old')} as name, -1 as total union all select ${nameOf('new')}, 1`),
    ),
    `create trigger accounts_counted_anew
      after update of roles, locked, active, must_change, second_factor on accounts
      for each row when ((old.roles, old.locked, old.active, old.must_change, old.second_factor)
        is distinct from (new.roles, new.locked, new.active, new.must_change, new.second_factor))
      execute function count_account_anew()`,
    triggerFunction(
      'count_import',
      `with moved as (delete from row_count_slots where ${isOfImport('new')} returning name, total)
      ${addToSlot(`select ${seenName('new')} as name, sum(total) as total from moved group by 1`)}`,
    ),
    `create trigger imports_counted after update of state on imports
      for each row when (new.state = 'done' and old.state <> 'done') execute function count_import()`,
    triggerFunction('uncount_import', `delete from row_count_slots where ${isOfImport('old')}`),
    `create trigger imports_uncounted after delete on imports
      for each row execute function uncount_import()`,
    // Last: creating the triggers has waited for writers, now blocked until the commit.
    `insert into row_count_slots (name, slot, total)
      select ${nameOf('accounts')}, 0, count(*) from accounts group by 1`,
  ],
}

function nameOf(row: string): string {
  return `(case when exists
      (select 1 from imports where imports.id = ${row}.import_id and imports.state <> 'done')
    then 'import ' || ${row}.import_id else 'accounts' end
    || ' ' || ${row}.roles || ' ' || ${row}.locked || ${row}.active || ${row}.must_change || ${row}.second_factor)`
}

/** Names that begin with `import 7 `; in byte order `!` follows the space. */
function isOfImport(row: string): string {
  return `name >= 'import ' || ${row}.id || ' ' and name < 'import ' || ${row}.id || '!'`
}

function seenName(row: string): string {
  return `'accounts' || substr(name, length('import ' || ${row}.id) + 1)`
}

function addTo(rows: string): string {
  return `insert into row_counts (name, total) ${rows}
      on conflict (name) do update set total = total + excluded.total`
}

/** A fixed order prevents deadlocks. */
function addToSlot(rows: string): string {
  return `insert into row_count_slots as slots (name, slot, total)
        select name, pg_backend_pid() % 64, total from (${rows}) as counted order by name
        on conflict (name, slot) do update set total = slots.total + excluded.total`
}

function triggerFunction(name: string, statement: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$
    begin
      ${statement};
      return null;
    end $$`
}
