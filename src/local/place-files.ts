import { statSync } from 'node:fs'
import { placeFile } from '../job/workspace.ts'
import type { OutputFile } from '../tool/contract.ts'
import type { FinishedOutput, OutputPaths } from './output-paths.ts'
import { writeBeside } from './records/beside.ts'
import { type RecordedOutput, recordBuild } from './records/build-record.ts'
import { physicalPath } from './records/record-store.ts'
import { sideFiles } from './records/side-files.ts'

/** A finished file and its destination. */
export interface FileMove {
  from: string
  to: string
  /** The path shown to the user. */
  output: FinishedOutput
  mtimeMs: number
  /** A file with the same content is already there, and remains. */
  isThere?: true
}

/** @param to its real path, if `path` contains links */
export function fileMove({ path: from, mime }: OutputFile, path: string, to = path): FileMove {
  const { size, mtimeMs } = statSync(from)
  return { from, to, output: { path, bytes: size, type: mime }, mtimeMs }
}

/** Moves files to their destinations, with a record for later runs. */
export async function recorded(
  paths: OutputPaths,
  moves: readonly FileMove[],
  place: () => Promise<void>,
  leftovers: readonly RecordedOutput[] = [],
): Promise<FinishedOutput[]> {
  const { recipe, states, keepsRecordsBeside } = paths.context
  const outputs = await Promise.all(
    // A rename keeps size and time, so the record can be written first.
    moves.map(async ({ from, to, output: { bytes, type }, mtimeMs }): Promise<RecordedOutput> => {
      const hash = await states.hashOf(from)
      return { path: physicalPath(to), bytes, type, mtimeMs, ...(hash !== undefined && { hash }) }
    }),
  )
  const record = await recordBuild(paths.key(), {
    ...{ recipe, inputs: await paths.hashedInputs(), outputs, leftovers },
    ...(await sideFiles(states)),
    place,
    lookAt: async (output) => ({ ...output, ...(await states.ofOutput(output)) }),
  })
  if (keepsRecordsBeside) await writeBeside(await paths.recordsFolder(), await paths.besideKey(), record)
  return moves.map(({ output }) => output)
}

/** Moves checked files to their destinations, each atomically. */
export function placeFiles(paths: OutputPaths, moves: readonly FileMove[]): Promise<FinishedOutput[]> {
  return recorded(paths, moves, async () => {
    for (const { from, to, isThere } of moves) if (!isThere) await placeFile(from, to, paths.overwrites)
  })
}
