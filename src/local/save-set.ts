import { rename, rmdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { exists, outputExists, placeFile } from '../job/workspace.ts'
import { makeFolder } from '../make-folder.ts'
import { printableName } from '../media/file.ts'
import type { OutputFile } from '../tool/contract.ts'
import { behindLinks } from './destination.ts'
import type { FinishedOutput, OutputContext, OutputPaths } from './output-paths.ts'
import { type FileMove, fileMove, recorded } from './place-files.ts'
import { readBeside } from './records/beside.ts'
import { isAsMade, jobRecord, type RecordedOutput, writerOf } from './records/build-record.ts'
import { physicalPath } from './records/record-store.ts'

/** A path in the job's staging folder. */
export type Stage = (name: string) => Promise<string>

const isInside = (path: string, folder: string): boolean => path.startsWith(folder + sep)

/** A set whose folder does not exist yet appears atomically. */
async function saveNew(
  paths: OutputPaths,
  files: readonly OutputFile[],
  folder: string,
  stage: Stage,
): Promise<FinishedOutput[]> {
  const staged = await stage(join('.set', basename(folder)))
  const moves: FileMove[] = []
  for (const file of files) {
    const from = join(staged, file.name)
    await makeFolder(dirname(from))
    await rename(file.path, from)
    moves.push(fileMove({ ...file, path: from }, join(folder, file.name)))
  }
  await makeFolder(dirname(folder))
  return recorded(paths, moves, async () => {
    try {
      await rename(staged, folder)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(code ?? '')) throw outputExists(folder)
      if (code !== 'EXDEV') throw error
      for (const { from, to } of moves) await placeFile(from, to, false)
    }
  })
}

/**
 * Rejects a member that cannot replace an existing entry, or whose folder is a file, before any change. @throws
 * MediaprocError
 */
async function checkMember(paths: OutputPaths, folder: string, name: string): Promise<void> {
  for (let part = dirname(name); part !== '.'; part = dirname(part)) {
    const path = join(folder, part)
    const about = await paths.context.protectedFiles.refuse(path)
    if (about?.isDirectory() === false) throw outputExists(path)
  }
  await paths.check(join(folder, name))
}

/** Outputs of an earlier run of the same job in this folder that are unchanged and no longer part of the set. */
async function leftoversIn(paths: OutputPaths, folder: string, moves: readonly FileMove[]): Promise<RecordedOutput[]> {
  const { force, newer } = paths.context.options
  if (!force && newer === undefined) return []
  const { states, keepsRecordsBeside, protectedFiles } = paths.context
  const key = paths.key()
  const beside = keepsRecordsBeside ? readBeside(await paths.recordsFolder(), await paths.besideKey()) : undefined
  const record = beside ?? jobRecord(key)
  const wanted = new Set(moves.map(({ to }) => physicalPath(to)))
  const found: RecordedOutput[] = []
  for (const output of [...(record?.outputs ?? []), ...(record?.leftovers ?? [])]) {
    if (!isInside(output.path, folder) || wanted.has(output.path) || !(await isAsMade(output, states))) continue
    const writer = writerOf(output.path) ?? key
    if (writer !== key || (await protectedFiles.has(output.path))) continue
    found.push(output)
  }
  return found
}

async function removeLeftovers(
  leftovers: readonly RecordedOutput[],
  folder: string,
  { states }: OutputContext,
): Promise<void> {
  for (const output of leftovers) {
    // Checked again: on a case-insensitive file system, a new member may have replaced it.
    if (!(await isAsMade(output, states))) continue
    await unlink(output.path)
    for (let parent = dirname(output.path); isInside(parent, folder); parent = dirname(parent))
      if (
        !(await rmdir(parent).then(
          () => true,
          () => false,
        ))
      )
        break
  }
}

/**
 * Writes a set into an existing folder, which may contain other files: only the members are written, each atomically,
 * and only outputs of an earlier run of the same job on the same inputs are deleted.
 */
async function saveInto(paths: OutputPaths, files: readonly OutputFile[], folder: string): Promise<FinishedOutput[]> {
  // The folder may be a link, which is kept.
  const real = await behindLinks(folder)
  if (!(await stat(real).catch(() => undefined))?.isDirectory())
    throw new MediaprocError('OUTPUT_EXISTS', `${printableName(folder)} exists and is not a folder`, {
      hint: 'Name another folder with -o or --name.',
    })
  for (const { name } of files) await checkMember(paths, folder, name)
  const moves = files.map((file) => fileMove(file, join(folder, file.name), join(real, file.name)))
  const leftovers = await leftoversIn(paths, real, moves)
  const place = async (): Promise<void> => {
    for (const { from, to } of moves) await placeFile(from, to, true)
    await removeLeftovers(leftovers, real, paths.context)
  }
  return recorded(paths, moves, place, leftovers)
}

/**
 * Moves a set to its folder. @throws MediaprocError OUTPUT_EXISTS, OUTPUT_IS_INPUT if a member would replace an input
 */
export async function saveSet(
  paths: OutputPaths,
  files: readonly OutputFile[],
  folder: string,
  stage: Stage,
): Promise<FinishedOutput[]> {
  paths.context.claims.claim(folder, paths.job.claimant)
  if (!(await exists(folder))) return saveNew(paths, files, folder, stage)
  if (!paths.overwrites) throw outputExists(folder)
  return saveInto(paths, files, folder)
}
