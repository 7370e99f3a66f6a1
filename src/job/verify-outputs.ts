import type { MediaFile } from '../media/file.ts'
import { verifyStructure } from '../media/verify/verify.ts'
import type { OutputFile } from '../tool/contract.ts'

/**
 * The one check of everything that a job made, before any of it gets its name: a file that is not complete ends the job.
 * What only the maker of a file can know (frames, pages, streams) is checked where it is written.
 * @throws MediaprocError DISK_FULL, PROCESSING_FAILED
 */
export function verifyOutputs(files: readonly OutputFile[], inputs: readonly MediaFile[]): void {
  for (const { path, name, isVerbatim } of files) if (!isVerbatim) verifyStructure(path, name, inputs)
}
