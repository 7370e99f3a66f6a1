import { basename } from 'node:path'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { checkCount } from '../job/accept.ts'
import { defaultConcurrency } from '../job/batch.ts'
import { stagingFolders, Workspace } from '../job/workspace.ts'
import { required } from '../lists.ts'
import type { MediaFile } from '../media/file.ts'
import { Isolation } from '../pipeline/isolate/isolation.ts'
import type { PipelinePlan, PlannedRows } from '../pipeline/plan/plan.ts'
import { type Diagnostic, diagnosticLine } from '../pipeline/read/diagnostics.ts'
import { type Row, rowLabel } from '../pipeline/rows/row-table.ts'
import { OutputClaims, ProtectedFiles } from './conflicts.ts'
import { type InputItem, namedInput } from './inputs.ts'
import { planManifest } from './manifest/write-manifest.ts'
import { openInput } from './open-input.ts'
import type { OutputPlan, SharedByRows } from './output-plan.ts'
import { inputItems, type JobContext, type PipelineRunRequest, previewJob, runJobOf, toolsOf } from './pipeline-job.ts'
import { variantOutputs } from './pipeline-outputs.ts'
import { jobsFor, type PlannedJob, type PlannedRun } from './planned-run.ts'
import { FileStates } from './records/file-state.ts'

/** A row that the pipeline cannot run for. */
function rowError({ path }: PipelinePlan, row: Row, diagnostics: readonly Diagnostic[]): MediaprocError {
  const lines =
    row.problem === undefined
      ? diagnostics.map((one) => diagnosticLine(path === undefined ? 'the pipeline' : basename(path), one))
      : [row.problem]
  return new MediaprocError('INVALID_SETTINGS', lines.join('\n'), {
    hint: 'Correct the row, and run it again with --newer.',
  })
}

/** Two rows with one name: no run can have both. */
function asRowCollision(error: MediaprocError): MediaprocError {
  const hint = 'Add a column that differs, or {index}, to the output names.'
  return new MediaprocError(error.code, error.message, { ...error.parts, hint })
}

/** The runs of a pipeline for the rows of a table. */
class RowsRun {
  readonly #request: PipelineRunRequest
  readonly #rows: PlannedRows
  readonly #isolation: Isolation
  readonly #workspace = new Workspace('.')
  readonly #staging = stagingFolders()
  readonly #rowOf = new Map<PlannedJob, Row>()
  readonly #refused = new Map<PlannedJob, MediaprocError>()
  readonly #jobs: PlannedJob[] = []
  readonly #shared: SharedByRows

  constructor(request: PipelineRunRequest, rows: PlannedRows) {
    const { options, isolation = new Isolation() } = request
    this.#request = request
    this.#rows = rows
    this.#isolation = isolation
    this.#shared = {
      count: 0,
      claims: new OutputClaims(),
      likelyClaims: new OutputClaims(),
      protectedFiles: new ProtectedFiles([rows.table.path]),
      states: new FileStates(options.newer !== undefined || options.records === 'beside'),
    }
  }

  readonly #scratch = (): Promise<string> => this.#workspace.scratch()
  readonly #open = (item: InputItem): Promise<MediaFile> => openInput(item, this.#scratch, this.#request.signal)

  /** The inputs of each row: those of the run, or its own. */
  async #inputsByRow(): Promise<(row: Row) => Promise<readonly InputItem[]>> {
    const { plan, inputs } = this.#request
    if (plan.hasRowInputs && inputs.length === 0)
      return async (row) => ((await this.#rows.planFor(row)).plan?.inputs ?? ['']).map(namedInput)
    const items = await inputItems(this.#request)
    return async () => items
  }

  /** Plans the jobs of all rows and checks the names of their outputs. @throws MediaprocError for the whole run */
  async plan(): Promise<PlannedRun> {
    const { plan, options } = this.#request
    const name = `pipeline/${plan.name}`
    const inputsOf = await this.#inputsByRow()
    for (const row of this.#rows.table.rows) {
      const items = await inputsOf(row)
      if (plan.input.files !== 'one') checkCount(plan.input, items.length, name)
      const about = {
        number: row.number,
        label: rowLabel(this.#rows.table, row),
        ...(row.line !== undefined && { line: row.line }),
      }
      for (const job of jobsFor(items, plan.input)) {
        const own = { ...job, index: this.#jobs.length, row: about }
        this.#jobs.push(own)
        this.#rowOf.set(own, row)
        this.#shared.protectedFiles.add(items.flatMap(({ path }) => path ?? []))
      }
    }
    this.#shared.count = this.#jobs.length
    const { manifest } = options
    await this.#check()
    return {
      name,
      jobs: this.#jobs,
      concurrency: defaultConcurrency(plan.heavy),
      ...(manifest !== undefined && { manifest }),
      ...(!this.#request.remote && { prepare: () => void this.#isolation.prepare(toolsOf(plan)) }),
      preview: async (job) => previewJob(await this.#contextOf(job), job, name),
      run: async (job, onProgress, onWarning) => runJobOf(await this.#contextOf(job), job, onProgress, onWarning),
      close: async () => {
        if (this.#isolation !== this.#request.isolation) await this.#isolation.close()
        await this.#staging.remove()
        await this.#workspace.remove()
      },
    }
  }

  /** Rows that cannot run are refused, each alone; two outputs with the same name end the run. */
  async #check(): Promise<void> {
    const { manifest, force } = this.#request.options
    let isReserved = false
    const byRow = new Map<Row, PlannedJob[]>()
    for (const [job, row] of this.#rowOf) byRow.set(row, [...(byRow.get(row) ?? []), job])
    for (const [row, jobs] of byRow) {
      this.#request.signal.throwIfAborted()
      const { plan, diagnostics } = await this.#rows.planFor(row)
      const refuse = (error: MediaprocError): void => jobs.forEach((job) => void this.#refused.set(job, error))
      if (plan) {
        const outputs = [...this.#outputsOf(plan, jobs).values()]
        // All rows share the claims, so that the first one reserves it for all.
        if (manifest !== undefined && !isReserved) await planManifest(manifest, force === true, outputs)
        isReserved = true
        await this.#checkNames(outputs, refuse)
      } else refuse(rowError(this.#request.plan, row, diagnostics))
    }
  }

  async #checkNames(outputs: readonly OutputPlan[], refuse: (error: MediaprocError) => void): Promise<void> {
    try {
      for (const one of outputs) {
        await one.check()
        for (const [job, error] of one.refused) this.#refused.set(job, error)
      }
    } catch (error) {
      const known = toMediaprocError(error)
      if (known.code === 'OUTPUT_COLLISION') throw asRowCollision(known)
      refuse(known)
    }
  }

  #outputsOf(plan: PipelinePlan, jobs: readonly PlannedJob[]): ReadonlyMap<number, OutputPlan> {
    const { options, defaultName, expand, signal } = this.#request
    const common = { options, defaultName, streams: expand?.streams, scratch: this.#scratch, signal }
    return variantOutputs(plan, { ...common, jobs, rows: this.#shared })
  }

  /** The plan of a job, which is made when it is needed: those of all rows would fill the memory. */
  async #contextOf(job: PlannedJob): Promise<JobContext> {
    const refused = this.#refused.get(job)
    if (refused) throw refused
    const row = required(this.#rowOf, job)
    const { plan, diagnostics } = await this.#rows.planFor(row)
    if (!plan) throw rowError(this.#request.plan, row, diagnostics)
    const request = { ...this.#request, plan }
    return {
      request,
      isolation: this.#isolation,
      staging: this.#staging,
      outputs: this.#outputsOf(plan, [job]),
      open: this.#open,
    }
  }
}

/**
 * Plans a run of a pipeline for each row of a table and checks everything that can be checked before it starts.
 * @throws MediaprocError for problems with the run as a whole, such as two rows with the same output
 */
export const planRowsRun = (request: PipelineRunRequest, rows: PlannedRows): Promise<PlannedRun> =>
  new RowsRun(request, rows).plan()
