import type { Kysely, Sql } from 'kysely'

/**
 * The queue of several servers. A job with a turn waits or runs: the lowest turn is next. `claim` names the attempt that runs
 * it in the process `node`; `stop` asks that process to end it.
 */
export async function createQueue(sql: Sql, db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs
    add turn bigint, add claim text, add node text, add claims integer not null default 0, add stop json,
    add tools text[], add bundles text[], add heavy boolean not null default false`.execute(db)
  await sql`create index jobs_turn on jobs (turn, created, id) where turn is not null and claim is null`.execute(db)
  await sql`create index jobs_light on jobs (turn, created, id)
    where turn is not null and claim is null and not heavy`.execute(db)
  await sql`create index jobs_unsettled on jobs (id) where bytes is null and turn is null`.execute(db)
  await sql`create index jobs_open on jobs (owner_id, turn) where turn is not null`.execute(db)
  await sql`create index jobs_uploads on jobs (owner_id, id) where type = 'upload'`.execute(db)
  await sql`create index jobs_node on jobs (node) where claim is not null`.execute(db)
  await sql`create table nodes (
    id text collate "C" primary key,
    role text not null,
    version text not null,
    started timestamptz not null default clock_timestamp(),
    seen timestamptz not null default clock_timestamp()
  )`.execute(db)
  await sql`alter table store add has_shared_contents boolean not null default false`.execute(db)
  // What one of the processes does at a time.
  await sql`create table leases (
    name text primary key,
    until timestamptz not null
  )`.execute(db)
}

/**
 * Numbers and sizes of jobs by owner and status, kept by a trigger: counting a million of them takes a second. `bytes` is what
 * they hold in the workspace: the inputs of those that run, and the results of the others. PL/pgSQL keeps the plans.
 */
export async function createJobSums(sql: Sql, db: Kysely<unknown>): Promise<void> {
  await sql`create table job_sums (
    owner_key text collate "C",
    is_upload boolean,
    status text collate "C",
    jobs bigint not null,
    bytes bigint not null,
    primary key (owner_key, is_upload, status)
  )`.execute(db)
  await sql`create function add_job_sum(job jobs, sign integer) returns void language plpgsql as $$ begin
    insert into job_sums values (
      coalesce('u' || job.owner_id, 'n'), job.type = 'upload', job.status,
      sign, sign * coalesce(job.bytes, case when job.turn is not null then job.input_bytes end, 0)
    ) on conflict (owner_key, is_upload, status) do update set
      jobs = job_sums.jobs + excluded.jobs, bytes = job_sums.bytes + excluded.bytes;
  end $$`.execute(db)
  // Two rows are locked in the order of their names, so that no two changes wait for each other.
  await sql`create function count_jobs() returns trigger language plpgsql as $$ begin
    if TG_OP = 'INSERT' then perform add_job_sum(new, 1);
    elsif TG_OP = 'DELETE' then perform add_job_sum(old, -1);
    elsif old.status > new.status then perform add_job_sum(new, 1); perform add_job_sum(old, -1);
    else perform add_job_sum(old, -1); perform add_job_sum(new, 1);
    end if;
    return null;
  end $$`.execute(db)
  await sql`create trigger jobs_counted after insert or delete on jobs for each row execute function count_jobs()`.execute(
    db,
  )
  await sql`create trigger jobs_recounted after update on jobs for each row
    when (old.status is distinct from new.status or old.bytes is distinct from new.bytes
      or (old.turn is null) is distinct from (new.turn is null))
    execute function count_jobs()`.execute(db)
  await sql`insert into job_sums
    select coalesce('u' || owner_id, 'n'), type = 'upload', status, count(*), coalesce(sum(bytes), 0)
    from jobs group by 1, 2, 3`.execute(db)
}

/**
 * Writes a waiting job within the limits of the queue, as `allowedFor`; `refusal` says which one it would exceed. The turn makes shares fair
 * (start-time fair queuing): an owner's next job follows their last one, but no job comes before those that are served now.
 */
export async function createSubmission(sql: Sql, db: Kysely<unknown>): Promise<void> {
  await sql`create function submit_job(given jobs, locks integer, places bigint, share double precision, most bigint,
    known bigint, is_unique boolean, out refusal text, out own bigint, out allowed bigint, out total bigint)
  language plpgsql as $$
  declare
    last bigint;
    served bigint;
  begin
    -- No other job of this owner is created until the transaction ends; what was created before is seen from here on.
    perform pg_advisory_xact_lock(locks, hashtext(coalesce(given.owner_id, '')));
    if given.owner_id is null then
      select count(*), max(turn) into own, last from jobs where turn is not null and owner_id is null;
    else
      select count(*), max(turn) into own, last from jobs where turn is not null and owner_id = given.owner_id;
    end if;
    total := known;
    if total is null then
      select count(*) into total from jobs where turn is not null;
    end if;
    allowed := least(most, case when share is null then places
      else greatest(1, floor(share * greatest(0, places - greatest(0, total - own)))) end);
    if own >= allowed and own > 0 then refusal := 'owner';
    elsif total >= places then refusal := 'queue';
    elsif is_unique and exists (select from jobs where client_job_id = given.client_job_id
      and coalesce('u' || owner_id, 'n') = coalesce('u' || given.owner_id, 'n')) then refusal := 'used';
    else
      served := coalesce((select min(turn) from jobs where turn is not null and claim is null),
        (select max(turn) from jobs where turn is not null and claim is not null), 0);
      insert into jobs (id, owner_id, client_job_id, type, status, tool_id, created, has_outputs, input_bytes, record,
        turn, tools, bundles, heavy)
      values (given.id, given.owner_id, given.client_job_id, given.type, given.status, given.tool_id, given.created,
        given.has_outputs, given.input_bytes, given.record, greatest(coalesce(last, -1) + 1, served), given.tools,
        given.bundles, given.heavy);
    end if;
  end $$`.execute(db)
}
