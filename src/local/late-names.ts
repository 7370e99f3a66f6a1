import { stat } from 'node:fs/promises'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { extensionOf, printableName, stemOf } from '../media/file.ts'
import { fingerprintOf } from '../models/store/file-hash.ts'
import type { OutputFile } from '../tool/contract.ts'
import { updateMentions } from './mentions.ts'
import { measure } from './names/measure.ts'
import { lateNames, type OutputFacts } from './names/pattern.ts'
import type { OutputPaths } from './output-paths.ts'
import { type FileMove, fileMove } from './place-files.ts'

/**
 * The numbers of a set's files: those in the tool's own names (`page-3.png`), if each has one, otherwise their
 * positions from 1.
 */
export function pageNumbers(names: readonly string[], inputName: string): number[] {
  const stem = stemOf(inputName)
  const numbers = names.map((name) => {
    const own = stemOf(name)
    const found = /^\D*(\d{1,9})$/.exec(own.startsWith(stem) ? own.slice(stem.length) : own)
    return found ? Number(found[1]) : undefined
  })
  const isComplete = numbers.every((number) => number !== undefined) && new Set(numbers).size === names.length
  return numbers.map((number, index) => (isComplete && number !== undefined ? number : index + 1))
}

/** The facts of a finished output that its name needs. */
export async function factsOfOutput(paths: OutputPaths, { path, mime }: OutputFile): Promise<OutputFacts> {
  const names = new Set(lateNames(paths.context.options.name ?? '', paths.context).map(({ name }) => name))
  const isMeasured = ['width', 'height', 'duration'].some((name) => names.has(name))
  return {
    ...(isMeasured && (await measure(path, mime))),
    ...(names.has('hash') && { hash: (await fingerprintOf(path)).sha256 }),
  }
}

async function isSameContent(one: string, other: string): Promise<boolean> {
  const [about, existing] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
  if (!about || !existing?.isFile() || about.size !== existing.size) return false
  const [own, its] = await Promise.all([fingerprintOf(one), fingerprintOf(other)])
  return own.sha256 === its.sha256
}

/** Several outputs of a job with one name: the same content is one output. @throws MediaprocError OUTPUT_COLLISION */
async function withoutRepeats(moves: readonly FileMove[], inputName: string): Promise<FileMove[]> {
  const byPath = new Map<string, FileMove>()
  for (const move of moves) {
    const earlier = byPath.get(move.to)
    if (!earlier) byPath.set(move.to, move)
    else if (!(await isSameContent(earlier.from, move.from)))
      throw new MediaprocError(
        'OUTPUT_COLLISION',
        `Two outputs of ${printableName(inputName)} would both be written as ${printableName(move.to)}`,
        { hint: 'Add {page} or {hash} to the pattern of names.' },
      )
  }
  return [...byPath.values()]
}

/** Files are measured once, although variants are checked before the first is placed. */
const measured = new WeakMap<readonly OutputFile[], Promise<FileMove[]>>()

/** The moves of outputs to the paths that their content gives. @throws MediaprocError NO_NAME_VALUE, OUTPUT_COLLISION */
export function lateMoves(paths: OutputPaths, files: readonly OutputFile[]): Promise<FileMove[]> {
  const known = measured.get(files) ?? measuredMoves(paths, files)
  measured.set(files, known)
  return known
}

async function measuredMoves(paths: OutputPaths, files: readonly OutputFile[]): Promise<FileMove[]> {
  const { inputName } = paths.job
  const numbers = pageNumbers(
    files.map(({ name }) => name),
    inputName,
  )
  const pages = Math.max(1, ...numbers)
  const moves: FileMove[] = []
  for (const [index, file] of files.entries()) {
    const facts = { ...(await factsOfOutput(paths, file)), page: numbers[index] ?? 1, pages }
    if (index === 0) await updateMentions(paths, files, facts)
    moves.push(fileMove(file, paths.finalPath(file.name, extensionOf(file.name), facts)))
  }
  return withoutRepeats(moves, inputName)
}

/**
 * Checks an output whose name is only known now. If a file with the same content already has the name, it remains.
 * @returns the move; marked if there is nothing to move
 * @throws MediaprocError OUTPUT_EXISTS, OUTPUT_COLLISION, OUTPUT_IS_INPUT
 */
export async function checkLate(paths: OutputPaths, move: FileMove): Promise<FileMove> {
  const { protectedFiles, claims } = paths.context
  const existing = await protectedFiles.refuse(move.to)
  if (!existing || !(await isSameContent(move.from, move.to))) {
    await paths.check(move.to)
    return move
  }
  try {
    claims.claim(move.to, paths.job.claimant)
  } catch (error) {
    // Another job made the same file.
    if (toMediaprocError(error).code !== 'OUTPUT_COLLISION') throw error
  }
  return { ...move, isThere: true, mtimeMs: existing.mtimeMs }
}

/** Checks the outputs of all variants of a job before any is placed. @throws as `checkLate` */
export async function checkApart(
  parts: readonly { paths: OutputPaths; files: readonly OutputFile[] }[],
): Promise<void> {
  const planned = new Map<string, string>()
  for (const { paths, files } of parts)
    for (const move of await lateMoves(paths, files)) {
      const earlier = planned.get(move.to)
      if (earlier !== undefined && (await isSameContent(earlier, move.from))) continue
      await checkLate(paths, move)
      planned.set(move.to, move.from)
    }
}
