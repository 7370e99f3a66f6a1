import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { renewSecrets } from '../accounts/credentials/renew-secrets.ts'
import type { FirstAdmin } from '../accounts/directory/first-start.ts'
import { firstStart } from '../accounts/directory/first-start.ts'
import { openAccounts } from '../accounts/open.ts'
import { post } from '../engines/http/post.ts'
import type { Telemetry, TelemetryOptions } from '../engines/telemetry/telemetry.ts'
import { MediaprocError } from '../errors.ts'
import { makeFolder } from '../make-folder.ts'
import { createPool } from '../pool/pool.ts'
import { packageVersion } from '../root.ts'
import { openConfiguredStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import type { ServerConfig } from './config.ts'
import type { ServerContext } from './context.ts'
import { FeatureInstaller } from './features/installer.ts'
import { buildApp } from './http/app.ts'
import { openLog } from './http/logging.ts'
import { auditFindings } from './instance/audit-check.ts'
import { Metrics } from './instance/metrics.ts'
import { InstanceSettings } from './instance/settings.ts'
import { JobTracer } from './jobs/job-tracer.ts'
import { resultAge } from './jobs/retention.ts'
import { JobRunner } from './jobs/runner.ts'
import { JobService } from './jobs/service.ts'
import { sweep } from './jobs/sweep.ts'
import { LibraryQuota } from './library/quota.ts'
import { versionSaver } from './library/versions.ts'
import { endPasswordSessions } from './sign-in/sso.ts'
import { storeParts } from './store-parts.ts'
import { announceEnd } from './webhooks/announce.ts'
import { WebhookDispatcher } from './webhooks/dispatcher.ts'

/** How long the last responses may take after all jobs have ended, in milliseconds. */
const LAST_ANSWERS_MS = 1000
/**
 * The start completes after this many milliseconds, even if job records are still loading; readyz reports when they
 * are.
 */
const RESUME_MS = 500
/** A process of the pool is replaced after this many jobs, which bounds the memory that libraries leak. */
const RECYCLE_AFTER = 2000
/** Time between two searches for contents without a record, in milliseconds. */
const LEFTOVERS_MS = 24 * 3_600_000
/** Time between the graceful and the forced end of a job's process, in milliseconds. */
const GRACE_MS = 3000

export interface RunningServer {
  /** `http://127.0.0.1:1349` */
  address: string
  context: ServerContext
  /** The administrator created by this start, with the password if it was generated. */
  firstAdmin: FirstAdmin | undefined
  /** Refuses new work, waits for running jobs, and writes everything to disk. May be called more than once. */
  close(): Promise<void>
}

async function listen(app: FastifyInstance, { host, port }: ServerConfig): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE')
      throw new MediaprocError('INVALID_CONFIG', `Port ${port} is in use by another program`, {
        hint: { shell: 'Name another with --port or PORT.' },
      })
    if (code === 'EACCES')
      throw new MediaprocError('INVALID_CONFIG', `Port ${port} needs rights that this user does not have`)
    throw new MediaprocError('INVALID_CONFIG', `${host}:${port} cannot be listened on`, { cause: error })
  }
  const { address, port: bound, family } = app.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`
}

/** Loads OpenTelemetry only where traces are sent. */
async function startTelemetry(
  options: TelemetryOptions,
  warn: (message: string, error: unknown) => void,
): Promise<Telemetry> {
  const { openTelemetry } = await import('../engines/telemetry/telemetry.ts')
  return openTelemetry(options, (error) => warn('the collector of traces does not take them', error))
}

/** Reports where the audit log was altered. */
async function reportAuditFindings({ audit }: Store, log: ServerContext['log']): Promise<void> {
  try {
    const findings = auditFindings(await audit.check())
    if (findings.length > 0) log.error({ findings }, 'the audit log is not as it was written')
  } catch (error) {
    log.error({ err: error }, 'the audit log cannot be checked')
  }
}

/**
 * Starts the HTTP server: store, process pool, routes; then resumes the jobs of a former run.
 * @param open opens the store; by default the one that the configuration names
 * @throws MediaprocError INVALID_CONFIG, CONFLICT when another server uses the data folder
 */
export async function startServer(config: ServerConfig, open = openConfiguredStore): Promise<RunningServer> {
  let reportDamagedJob = (_id: string): void => {}
  let isLockLost = false
  let warn = (message: string, _error?: unknown): void => void process.stderr.write(`mediaproc: warning: ${message}\n`)
  let stop = (): void => {
    isLockLost = true
  }
  const store = await open(config.dataFolder, {
    auditRetentionDays: config.auditRetentionDays,
    onDamagedJob: (id) => reportDamagedJob(id),
    ...storeParts(config, (message, error) => warn(message, error)),
    onLockLost: () => stop(),
  })
  const undo: (() => Promise<unknown>)[] = [() => store.close()]
  try {
    await makeFolder(config.libraryFolder, 0o700)
    await makeFolder(config.logFolder)
    const { log, rotate } = openLog(config.logFolder, config.logLevel)
    warn = (message, error) => log.warn({ err: error }, message)
    const reportDamaged = (ids: readonly string[], folder: string, name: string): void => {
      const files = ids.map((id) => join(folder, id, name))
      const advice = 'restore them from a backup, or remove their folders; they are hidden until then'
      if (ids.length > 0) log.error({ files }, `files are damaged and were not changed: ${advice}`)
    }
    reportDamagedJob = (id) => reportDamaged([id], config.workspaceFolder, 'job.json')
    reportDamaged(store.library.damaged, config.libraryFolder, 'item.json')
    const settings = new InstanceSettings(store)
    const accounts = openAccounts(store, config)
    await renewSecrets(accounts)
    // A provider may have been configured after the setting was saved.
    await endPasswordSessions({ config, settings, store })
    const { defaultUsername: username, defaultPassword: password } = config
    const firstAdmin = config.authEnabled ? await firstStart(accounts, { username, password }) : undefined
    const pool = createPool({
      size: config.concurrentJobs,
      queueLimit: config.maxQueuedJobs,
      memoryMb: config.maxJobMemoryMb,
      recycleAfter: RECYCLE_AFTER,
      graceMs: GRACE_MS,
      environment: { MEDIAPROC_MODELS: config.modelsFolder },
      warm: config.hasWarmPool,
      log: (message, facts) => log.info(facts, message),
    })
    undo.unshift(() => pool.close())
    const telemetry = config.telemetry && (await startTelemetry(config.telemetry, warn))
    if (telemetry) undo.unshift(() => telemetry.close())
    const tracer = telemetry && new JobTracer(telemetry)
    const metrics = new Metrics()
    const quota = new LibraryQuota(store, config)
    const { queue } = store
    const parts = { jobs: store.jobs, workspace: store.workspace, queue, concurrentJobs: config.concurrentJobs }
    const webhooks = new WebhookDispatcher({
      ...{ store, accounts, config: config.webhooks, send: post, version: packageVersion() },
      warn: (message, error) => log.warn({ err: error }, message),
    })
    const runner = new JobRunner({
      ...parts,
      results: store.results,
      isShared: config.cluster !== undefined,
      maxFinishedJobs: config.maxFinishedJobs,
      pool,
      log,
      saveVersion: versionSaver(store, pool, quota),
      resultAgeMs: (ownerId) => resultAge({ config, settings, store }, ownerId),
      ...(tracer && { onRan: (id, steps) => tracer.ran(id, steps) }),
      onEnd(record, ms, hasMessages) {
        metrics.jobEnded(record, ms)
        tracer?.ended(record)
        if (hasMessages) webhooks.wake()
      },
      announceEnd: (record) => announceEnd(store, record, accounts.now()),
    })
    const jobs = new JobService({ ...parts, runner, settings, maxQueuedJobs: config.maxQueuedJobs })
    const features = new FeatureInstaller({
      ...{ store, queue, log, modelsFolder: config.modelsFolder, isOffline: config.modelsOffline },
    })
    const shutdown = { begun: false }
    const context: ServerContext = {
      ...{
        config,
        store,
        accounts,
        jobs,
        features,
        pool,
        settings,
        metrics,
        quota,
        log,
        shutdown,
        telemetry,
        webhooks,
      },
      signOutUrls: {},
    }
    const app = await buildApp(context)
    const interval = Math.max(60_000, config.cleanupIntervalMs)
    const sweepOnce = async (): Promise<void> => {
      // A little less than the interval, which no timer keeps exactly.
      if ((await store.lease?.('sweep', interval - 1000)) ?? true) await sweep(context)
      if (store.removeLeftovers && (await store.lease?.('leftovers', LEFTOVERS_MS))) await store.removeLeftovers()
    }
    const tidy = (): Promise<void> =>
      Promise.all([sweepOnce(), rotate()]).then(
        () => undefined,
        (error: unknown) => log.warn({ err: error }, 'tidying up failed'),
      )
    const address = await listen(app, config)
    let tidying: Promise<unknown> = Promise.resolve()
    const tidyNext = (): void => {
      tidying = tidying.then(tidy)
    }
    const timer = setInterval(tidyNext, interval)
    webhooks.start()
    let isClosing = (): void => {}
    const closed = new Promise<void>((resolve) => {
      isClosing = resolve
    })
    // Job records may take a while to load, and interrupted jobs may be among them.
    const resume = async (): Promise<void> => {
      await Promise.race([store.jobs.complete(), closed])
      reportDamaged(store.jobs.damaged, config.workspaceFolder, 'job.json')
      if (shutdown.begun) return
      await jobs.resume()
      if (!config.cluster) await features.resume()
      if (await settings.flag('tamperResistantAudit', false)) void reportAuditFindings(store, log)
      // Not awaited, however many files there are: expired results are not served any more.
      if (await settings.flag('startupCleanup', true)) tidyNext()
    }
    const resumed = resume().catch((error: unknown) =>
      log.error({ err: error }, 'jobs that a former run left are not taken up'),
    )
    // Usually this completes at once.
    await Promise.race([resumed, new Promise((resolve) => setTimeout(resolve, RESUME_MS).unref())])
    let closing: Promise<void> | undefined
    const close = async (): Promise<void> => {
      shutdown.begun = true
      isClosing()
      clearInterval(timer)
      await resumed
      log.info('shutting down')
      const end = Date.now() + config.shutdownMs
      // In the meantime readyz reports the shutdown, and every other request is refused.
      await features.close()
      await jobs.close(config.shutdownMs)
      const stopped = app.close()
      // Cuts off uploads and downloads that are still running.
      const cutOff = setTimeout(() => app.server.closeAllConnections(), Math.max(LAST_ANSWERS_MS, end - Date.now()))
      await stopped
      clearTimeout(cutOff)
      // Jobs of forms that were received completely.
      await jobs.close(0)
      await webhooks.close()
      await tidying
      await pool.close()
      await store.close()
      await telemetry?.close()
    }
    const closeOnce = (): Promise<void> => (closing ??= close())
    stop = () => {
      log.fatal('another server uses the database: this one ends')
      process.exitCode = 1
      void closeOnce()
    }
    if (isLockLost) stop()
    return { address, context, firstAdmin, close: closeOnce }
  } catch (error) {
    for (const step of undo) await step()
    throw error
  }
}
