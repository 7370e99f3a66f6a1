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

/** A set whose folder is not there yet appears in one step. */
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
    moves.push(await fileMove({ ...file, path: from }, join(folder, file.name)))
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

/** Refuses what a member cannot replace, or lies where its folder goes, before anything is touched. @throws MediaprocError */
async function checkMember(paths: OutputPaths, folder: string, name: string): Promise<void> {
  for (let part = dirname(name); part !== '.'; part = dirname(part)) {
    const path = join(folder, part)
    const about = await paths.context.protectedFiles.refuse(path)
    if (about?.isDirectory() === false) throw outputExists(path)
  }
  await paths.check(join(folder, name))
}

/** What an earlier run of the same job made in this folder, is as it was made, and is no part of the set any more. */
async function leftoversIn(paths: OutputPaths, folder: string, moves: readonly FileMove[]): Promise<RecordedOutput[]> {
  const { force, newer } = paths.context.options
  if (!force && newer === undefined) return []
  const { states, keepsRecordsBeside, protectedFiles } = paths.context
  const key = await paths.key()
  const beside = keepsRecordsBeside ? await readBeside(await paths.recordsFolder(), await paths.besideKey()) : undefined
  const record = beside ?? (await jobRecord(key))
  const wanted = new Set(await Promise.all(moves.map(({ to }) => physicalPath(to))))
  const found: RecordedOutput[] = []
  for (const output of [...(record?.outputs ?? []), ...(record?.leftovers ?? [])]) {
    if (!isInside(output.path, folder) || wanted.has(output.path) || !(await isAsMade(output, states))) continue
    const writer = (await writerOf(output.path)) ?? key
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
    // Asked again: where case does not matter, a new member may have taken its place.
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
 * A set into a folder that is there, which may hold other files: nothing but the members is written, each in one step, and
 * nothing is removed but what an earlier run of the same job made of the same inputs.
 */
async function saveInto(paths: OutputPaths, files: readonly OutputFile[], folder: string): Promise<FinishedOutput[]> {
  // The folder may be a link, which stays one.
  const real = await behindLinks(folder)
  if (!(await stat(real).catch(() => undefined))?.isDirectory())
    throw new MediaprocError('OUTPUT_EXISTS', `${printableName(folder)} is there and no folder`, {
      hint: 'Name another folder with -o or --name.',
    })
  for (const { name } of files) await checkMember(paths, folder, name)
  const moves = await Promise.all(files.map((file) => fileMove(file, join(folder, file.name), join(real, file.name))))
  const leftovers = await leftoversIn(paths, real, moves)
  const place = async (): Promise<void> => {
    for (const { from, to } of moves) await placeFile(from, to, true)
    await removeLeftovers(leftovers, real, paths.context)
  }
  return recorded(paths, moves, place, leftovers)
}

/** Puts a set in its folder. @throws MediaprocError OUTPUT_EXISTS, OUTPUT_IS_INPUT where an input lies where a member goes */
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
