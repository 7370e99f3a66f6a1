import { copyFile, writeFile } from 'node:fs/promises'
import { checkAccepted, checkCount, checkSecondary } from '../../job/accept.ts'
import { firstOf } from '../../lists.ts'
import { printableName } from '../../media/file.ts'
import type { Encoded } from '../../media/image/encode/encode.ts'
import type { PdfClaims } from '../../media/pdf/verify/losses.ts'
import { mimeOf } from '../../media/type.ts'
import type { Made, OutputFile, ProduceContext } from '../../tool/contract.ts'
import { possibleTypes } from '../../tool/output-type.ts'
import type { PlannedStep } from '../plan/plan.ts'
import { encodingWarnings, fileOf, type Item, type Items, type Sink } from './item.ts'
import { type RunContext, stepContext } from './run-context.ts'
import { pdfStep } from './run-pdf.ts'

/** The unwritten results of a step, and how to release its inputs afterwards. */
interface Production {
  made: Made
  close(): void
  /** Warnings added once everything is written, as images may be opened while others are written. */
  added?(): Record<string, unknown> | undefined
  /** For documents: the claims made by the sources. */
  claims?: readonly PdfClaims[]
}

async function ofPictures(
  context: RunContext,
  step: PlannedStep,
  items: readonly Item[],
  own: ProduceContext,
): Promise<Production> {
  const [{ imageError }, { pictureInput }, { imageStep, CUT_OFF_REPORT }] = await Promise.all([
    import('../../media/image/errors.ts'),
    import('./picture-input.ts'),
    import('./run-image.ts'),
  ])
  const cutOff = new Set<Item>()
  const pictures = items.map((item) => pictureInput(context, step, item, () => cutOff.add(item)))
  const added = () => (cutOff.size > 0 ? CUT_OFF_REPORT : undefined)
  try {
    return {
      made: await imageStep(step).produce!(pictures, structuredClone(step.settings), own),
      close: () => {},
      added,
    }
  } catch (error) {
    throw imageError(error, items.length === 1 ? firstOf(items).name : step.name)
  }
}

async function ofMediaFiles(
  context: RunContext,
  step: PlannedStep,
  items: readonly Item[],
  own: ProduceContext,
): Promise<Production> {
  const [{ openAv, unopened }, { avStep }, { limitByLength }] = await Promise.all([
    import('../../media/av/input/input.ts'),
    import('./run-av.ts'),
    import('./av-time.ts'),
  ])
  const { kind, kinds = [], produce } = avStep(step)
  const files = await accepted(step, items)
  const sources = []
  const { signal, warn } = context.job
  for (const [index, file] of files.entries()) {
    const own = kinds[index] ?? kind
    sources.push(own === 'file' ? unopened(file) : await openAv(file, own, signal, warn))
  }
  limitByLength(
    context.job,
    sources.filter((_, index) => (kinds[index] ?? kind) !== 'file'),
  )
  return { made: await produce!(sources, structuredClone(step.settings), own), close: () => {} }
}

async function ofDocuments(
  _context: RunContext,
  step: PlannedStep,
  items: readonly Item[],
  own: ProduceContext,
): Promise<Production> {
  const [{ openPdfFile }, { claimsOf }] = await Promise.all([
    import('../../media/pdf/document.ts'),
    import('../../media/pdf/verify/losses.ts'),
  ])
  const { produce, open } = pdfStep(step)
  const writesPdf = possibleTypes(step.tool.output.type, ['pdf'], step.settings).includes('pdf')
  const files = await accepted(step, items)
  const documents: Awaited<ReturnType<typeof openPdfFile>>[] = []
  const close = (): void => {
    for (const document of documents) document.close()
  }
  try {
    for (const file of files) {
      own.signal.throwIfAborted()
      const document = await openPdfFile(file, open?.(step.settings))
      documents.push(document)
      if (writesPdf) document.recordPages()
    }
    const claims = documents.map(claimsOf)
    return { made: await produce!(documents, structuredClone(step.settings), { ...own, files }), close, claims }
  } catch (error) {
    close()
    throw error
  }
}

async function accepted({ tool, name }: PlannedStep, items: readonly Item[]): ReturnType<typeof filesOf> {
  const files = await filesOf(items)
  for (const file of files) checkAccepted(tool.input.accept, file, name)
  return files
}

const filesOf = (items: readonly Item[]) => Promise.all(items.map(fileOf))

const MEDIUMS = { image: ofPictures, av: ofMediaFiles, pdf: ofDocuments } as const

/** A step of one medium that is not one to one: opens its inputs, and writes results as they are produced. */
export async function produce(
  context: RunContext,
  step: PlannedStep,
  items: readonly Item[],
  sink: Sink,
): Promise<Items> {
  const { tool, name } = step
  checkCount(tool.input, items.length, name)
  const own = { ...(await stepContext(context, step)), output: sink }
  checkSecondary(tool, own.secondary, name)
  own.progress(0, 'reading')
  let close = (): void => {}
  try {
    const production: Production = await MEDIUMS[tool.medium as keyof typeof MEDIUMS](context, step, items, own)
    close = production.close
    own.signal.throwIfAborted()
    return await written(context, production, items[0], sink)
  } catch (error) {
    if (tool.medium !== 'pdf') throw error
    const { withoutSurprise } = await import('../../engines/mupdf.ts')
    throw withoutSurprise(error, items.length === 1 ? printableName(firstOf(items).name) : 'One of the PDFs')
  } finally {
    close()
  }
}

/** The results as items: a single image stays open, everything else is a file. */
async function written(
  context: RunContext,
  { made, added, claims = [] }: Production,
  first: Item | undefined,
  sink: Sink,
): Promise<Items> {
  const { set, lines } = made
  const list: Item[] = []
  const put = (file: OutputFile): void => void list.push({ name: file.name, isNamed: true, made: file })
  const nameFor = (name: string | undefined, extension: string): string =>
    name ?? context.nameOf({ name: first?.name ?? '' }, extension)
  const encoded = made.frames ? await writeFrames(context, made.frames, sink, put) : []
  if (made.documents) await writeDocuments(context, made.documents, claims, nameFor, sink, put)
  if (made.media) put(await writeMedia(made.media, made.name ?? first?.name ?? '', context, sink))
  for (const one of made.files ?? [])
    if ('path' in one) put(one)
    else {
      const file = { name: nameFor(one.name, one.type), mime: mimeOf(one.type) }
      const path = await sink(file.name)
      await ('from' in one ? copyFile(one.from, path) : writeFile(path, one.data))
      const { field, mentions } = one
      put({ ...file, path, ...(field !== undefined && { field }), ...(mentions && { mentions }) })
    }
  const report = typeof made.report === 'function' ? undefined : made.report
  const later = typeof made.report === 'function' ? made.report : undefined
  if (made.frame) {
    const name = made.name ?? first?.name ?? made.frame.origin.name
    const reports = [...(later ? [(one: Encoded) => later([one])] : []), ...(added ? [added] : [])]
    list.unshift({
      name,
      ...(made.name !== undefined && { isNamed: true }),
      ...(made.field !== undefined && { field: made.field }),
      picture: { frame: made.frame, origin: { name }, reports },
    })
  }
  const own = report ?? (later && !made.frame ? later(encoded) : undefined)
  const more = made.frame ? undefined : added?.()
  const merged = own || more ? { ...own, ...more } : undefined
  return { list, ...(set !== undefined && { set }), ...(merged && { report: merged }), ...(lines && { lines }) }
}

async function writeMedia(
  { source, part }: NonNullable<Made['media']>,
  name: string,
  context: RunContext,
  sink: Sink,
): Promise<OutputFile> {
  const [{ outputExtension }, { runAv }] = await Promise.all([
    import('../../media/av/filters/graph.ts'),
    import('../../media/av/run.ts'),
  ])
  const extension = outputExtension(source, [part])
  const own = context.nameOf({ name }, extension)
  const path = await sink(own)
  const { from, part: share } = context.progress
  await runAv(source, [part], path, {
    signal: context.job.signal,
    warn: (message, manner) => context.job.warn(message, manner),
    onProgress: (fraction) => context.job.progress(from + fraction * share, 'encoding'),
  })
  return { path, name: own, mime: mimeOf(extension) }
}

async function writeFrames(
  { job }: RunContext,
  frames: NonNullable<Made['frames']>,
  sink: Sink,
  put: (file: OutputFile) => void,
): Promise<Encoded[]> {
  const { encodeImage } = await import('../../media/image/encode/encode.ts')
  const all: Encoded[] = []
  const warnings = new Set<string>()
  for await (const { name, frame, field } of frames) {
    job.signal.throwIfAborted()
    const path = await sink(name)
    const encoded = await encodeImage(frame, path)
    all.push(encoded)
    for (const warning of encodingWarnings(name, encoded, frame.target)) warnings.add(warning)
    put({ path, name, mime: mimeOf(encoded.format.extension), ...(field !== undefined && { field }) })
  }
  for (const warning of warnings) job.warn(warning)
  return all
}

/**
 * Saves documents one after the other; while the file of one is written, the next one is computed. Warns of claims of the
 * sources that do not hold for the documents, and of features that PDF readers handle differently.
 */
async function writeDocuments(
  { job }: RunContext,
  documents: NonNullable<Made['documents']>,
  claims: readonly PdfClaims[],
  nameFor: (name: string | undefined, extension: string) => string,
  sink: Sink,
  put: (file: OutputFile) => void,
): Promise<void> {
  const [{ beginSaving }, { lossesOf }] = await Promise.all([
    import('../../media/pdf/document.ts'),
    import('../../media/pdf/verify/losses.ts'),
  ])
  const losses = new Set<string>()
  let writing: Promise<void> | undefined
  try {
    for await (const { name: own, document } of documents)
      try {
        job.signal.throwIfAborted()
        const name = nameFor(own, 'pdf')
        const path = await sink(name)
        const { differences, written } = await beginSaving(document, path)
        const before = writing
        writing = written
        await before
        put({ path, name, mime: 'application/pdf' })
        for (const loss of [...differences, ...lossesOf(claims, document)]) losses.add(loss)
      } finally {
        document.close()
      }
    await writing
  } finally {
    // A failure's files are removed after the last write.
    await writing?.catch(() => {})
  }
  for (const loss of losses) job.warn(loss)
}
