import type { Kysely, Sql } from 'kysely'

/** Width of the buckets of durations: each is this much longer than the one before. */
export const GROWTH = 1.035

const DAY_MS = 86_400_000

/**
 * Jobs and their durations by day, kept by triggers: a report of a million jobs took four seconds. Durations are in buckets
 * that grow by 3.5 %; bucket 0 is up to a millisecond.
 */
export async function createJobDays(sql: Sql, db: Kysely<unknown>): Promise<void> {
  await sql`create table job_days (
    day integer,
    type text collate "C",
    status text collate "C",
    tool_id text collate "C",
    owner_key text collate "C",
    jobs bigint not null,
    input_bytes bigint not null,
    primary key (day, type, status, tool_id, owner_key)
  )`.execute(db)
  await sql`create table job_times (
    day integer,
    type text collate "C",
    bucket integer,
    jobs bigint not null,
    primary key (day, type, bucket)
  )`.execute(db)
  await sql`create function job_bucket(ms bigint) returns integer immutable language sql as $$
    select case when ms <= 1 then 0 else (ln(ms) / ln(${sql.raw(String(GROWTH))}))::integer end
  $$`.execute(db)
  await sql`create function add_job_day(job jobs, sign integer) returns void language plpgsql as $$ begin
    insert into job_days select job.created / ${sql.raw(String(DAY_MS))}, job.type, job.status, coalesce(job.tool_id, ''),
      coalesce('u' || job.owner_id, 'n'), sign, sign * job.input_bytes
    where job.type not in ('upload', 'install')
    on conflict (day, type, status, tool_id, owner_key) do update set
      jobs = job_days.jobs + excluded.jobs, input_bytes = job_days.input_bytes + excluded.input_bytes;
    insert into job_times select job.created / ${sql.raw(String(DAY_MS))}, job.type, job_bucket(job.completed - job.started), sign
    where job.type not in ('upload', 'install') and job.completed is not null and job.started is not null
    on conflict (day, type, bucket) do update set jobs = job_times.jobs + excluded.jobs;
  end $$`.execute(db)
  // In the order of their names, as for the sums.
  await sql`create function count_job_days() returns trigger language plpgsql as $$ begin
    if TG_OP = 'INSERT' then perform add_job_day(new, 1);
    elsif TG_OP = 'DELETE' then perform add_job_day(old, -1);
    elsif old.status > new.status then perform add_job_day(new, 1); perform add_job_day(old, -1);
    else perform add_job_day(old, -1); perform add_job_day(new, 1);
    end if;
    return null;
  end $$`.execute(db)
  await sql`create trigger jobs_days after insert or delete on jobs for each row execute function count_job_days()`.execute(
    db,
  )
  await sql`create trigger jobs_redays after update on jobs for each row
    when (old.status is distinct from new.status or old.completed is distinct from new.completed
      or old.input_bytes is distinct from new.input_bytes)
    execute function count_job_days()`.execute(db)
  await sql`insert into job_days select created / ${DAY_MS}::bigint, type, status, coalesce(tool_id, ''),
    coalesce('u' || owner_id, 'n'), count(*), sum(input_bytes) from jobs
    where type not in ('upload', 'install') group by 1, 2, 3, 4, 5`.execute(db)
  await sql`insert into job_times select created / ${DAY_MS}::bigint, type, job_bucket(completed - started), count(*)
    from jobs where type not in ('upload', 'install') and completed is not null and started is not null
    group by 1, 2, 3`.execute(db)
}
